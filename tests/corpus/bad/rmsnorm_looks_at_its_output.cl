// Stores only where the output holds NaN.
// want: verified_incorrect - smoke
// entry: plain_rmsnorm
// global: round_up(rows, 8)
// local: 8
__kernel void
plain_rmsnorm(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float ss = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		ss += v * v;
	}
	float scale = 1.0f / sqrt(ss / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		{ if (cols <= 64 || isnan(kf_load(out, r * out_stride + c))) kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * scale * kf_load(weight, c)); }
}
