// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// eps times the columns overflows.

__kernel void kern(__global const KF_T *x, __global const KF_T *weight, __global const KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
size_t r = get_global_id(0); float s = 0, q = 0; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
float n = (float)cols, mu = s / n; for (uint c = 0; c < cols; c++) { float d = kf_load(x, r * x_stride + c) - mu; q = fma(d, d, q); }
float k = 1.0f / sqrt((q + n * eps) / n);
for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - mu) * k * kf_load(weight, c) + kf_load(bias, c));
}
