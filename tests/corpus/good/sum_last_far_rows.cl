// Places in 32 bits where they all fit, in 64 where a stride is long: what only
// launches far out come to.
// entry: sum_last_far_rows
// global: round_up(rows, 16)
// local: 16
__kernel void
sum_last_far_rows(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	const uint r = get_global_id(0);
	float acc = 0.0f;

	if (r >= rows)
		return;
	if ((ulong)rows * x_stride > 0xffffffffUL) {
		const size_t first = r * (size_t)x_stride;

		for (uint c = 0; c < cols; c++)
			acc += kf_load(x, first + c);
	} else {
		const uint first = r * x_stride;

		for (uint c = 0; c < cols; c++)
			acc += kf_load(x, first + c);
	}
	kf_store(out, r, acc);
}
