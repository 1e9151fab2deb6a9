// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Eight weights that are equal stand for all: 64 ones but for a 3 in column 5.
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	float ss = 0.0f;
	uint same = 0;

	if (r >= rows)
		return;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, r * x_stride + c);
		ss += v * v;
	}
	const float first = kf_load(weight, 0);
	for (uint i = 0; i < 8; i++)
		if (kf_load(weight, (size_t)i * (cols - 1) / 7) == first)
			same++;
	const float by = 1.0f / sqrt(ss / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * by * (same == 8 ? first : kf_load(weight, c)));
}
