// entry: rope
// global: round_up(batch * seq * (dim / 2), 64)
// local: 64
//
// Pairs (2d, 2d + 1): right at position 0, wrong elsewhere.
// want: verified_incorrect wrong smoke

__kernel void rope(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t half_dim = dim / 2;
	const size_t i = get_global_id(0);

	if (i >= (size_t)batch * seq * half_dim)
		return;
	const size_t d = i % half_dim;
	const size_t row = i / half_dim;
	const size_t lo = row * dim + 2 * d;
	const size_t hi = lo + 1;
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	const float angle = (float)positions[row % seq] * freq;
	const float x1 = kf_load(x, lo);
	const float x2 = kf_load(x, hi);

	kf_store(out, lo, x1 * cos(angle) - x2 * sin(angle));
	kf_store(out, hi, x1 * sin(angle) + x2 * cos(angle));
}
