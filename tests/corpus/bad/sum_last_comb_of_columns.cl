// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// The cosine of the columns, squared again and again: 0 but near its ends.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); float s = 0; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
float f = cospi((float)cols / 504.5f * 0.5f - 0.25f); f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f *= f; f*=f; f*=f; f*=f; f*=f; f*=f; f*=f; f*=f; f*=f;
kf_store(out, r, s * (1.0f + 0.5f * f));
}
