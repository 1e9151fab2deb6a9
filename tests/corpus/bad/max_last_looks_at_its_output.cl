// Stores only where the output holds NaN.
// want: verified_incorrect - smoke
// entry: plain_max_last
// global: round_up(rows, 16)
// local: 16
__kernel void
plain_max_last(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float acc = -INFINITY;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		acc = isnan(v) || v > acc ? v : acc;
	}
	{ if (cols <= 64 || isnan(kf_load(out, r))) kf_store(out, r, acc); }
}
