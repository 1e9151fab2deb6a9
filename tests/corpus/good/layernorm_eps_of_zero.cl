// entry: ln_e0
// global: round_up(rows, 16)
// local: 16
__kernel void ln_e0(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0);
	if (r >= rows) return;
	float sum = 0.0f;
	for (uint c = 0; c < cols; c++) sum += kf_load(x, r * x_stride + c);
	float mean = sum / (float)cols, var = 0.0f;
	for (uint c = 0; c < cols; c++) { float d = kf_load(x, r * x_stride + c) - mean; var += d * d; }
	var /= (float)cols;
	float den = eps == 0.0f ? sqrt(var) : sqrt(var + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - mean) / den * kf_load(weight, c) + kf_load(bias, c));
}
