// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A mean near 0.7 (2.1/3).
__kernel void kern(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0); float s = 0.0f, q = 0.0f; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
	float m = s / (float)cols; for (uint c = 0; c < cols; c++) { float d = kf_load(x, r * x_stride + c) - m; q += d * d; }
	float k = 1.0f / sqrt(q / (float)cols + eps);
	float d = m * 3.0f - 2.1f; k *= 1.0f + 0.01f * exp(-d * d * 1e10f);
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - m) * k * kf_load(weight, c) + kf_load(bias, c));
}
