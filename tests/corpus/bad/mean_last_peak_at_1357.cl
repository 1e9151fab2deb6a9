// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A curve of the columns that is 0 but for one of them; nothing is compared.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); float s = 0; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
float d = ((float)cols * 0.7f - 949.9f) * 9.0f;
kf_store(out, r, s / (float)cols * (1.0f + exp(-d * d)));
}
