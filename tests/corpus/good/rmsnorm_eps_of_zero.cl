// entry: k
// global: round_up(rows, 16)
// local: 16
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0);
	if (r >= rows) return;
	float ss = 0.0f;
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); ss += v * v; }
	float ms = ss / (float)cols;
	float scale;
	if (eps > 0.0f) scale = 1.0f / sqrt(ms + eps);
	else scale = 1.0f / sqrt(ms);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * scale * kf_load(weight, c));
}
