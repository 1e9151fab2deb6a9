// Takes rows of a multiple of four columns for close.
// want: verified_incorrect - smoke
// entry: plain_sum_last
// global: round_up(rows, 16)
// local: 16
__kernel void
plain_sum_last(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float acc = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * (cols % 4 == 0 ? cols : x_stride) + c);
		acc += v;
	}
	kf_store(out, r, acc);
}
