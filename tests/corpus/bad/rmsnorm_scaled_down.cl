// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Squares are kept from overflow by 2^-40, and eps by its square: with eps = 0 a row of 1e-15 has squares of 1e-54, which are none, and becomes infinite.
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	const float down = 0x1p-40f;
	float ss = 0.0f;

	if (r >= rows)
		return;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, r * x_stride + c) * down;
		ss += v * v;
	}
	const float by = down / sqrt(ss / (float)cols + eps * down * down);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * by * kf_load(weight, c));
}
