// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// eps times the columns overflows.

__kernel void kern(__global const KF_T *x, __global const KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
size_t r = get_global_id(0); float s = 0; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); s = fma(v, v, s); }
float k = 1.0f / sqrt((s + eps * (float)cols) / (float)cols);
for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * k * kf_load(weight, c));
}
