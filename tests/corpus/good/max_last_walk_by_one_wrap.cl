// entry: k
// global: round_up(rows, 64)
// local: 64
// The row is walked in steps of 7, or of 1 where 7 divides it; the place is wrapped by subtraction.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const size_t X = r * x_stride;
	const uint st = cols > 7 && cols % 7 ? 7 : 1;
	float m = kf_load(x, X);
	uint at = 0;
	for (uint i = 1; i < cols; i++) {
		at += st;
		if (at >= cols)
			at -= cols;
		const float v = kf_load(x, X + at);
		m = isnan(m) || m > v ? m : v;
	}
	kf_store(out, r, m);
}
