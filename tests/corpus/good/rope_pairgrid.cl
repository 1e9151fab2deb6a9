// A fixed grid of groups that strides over all pairs.
// entry: rope_pairgrid
// global: 1024
// local: 64
__kernel void
rope_pairgrid(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const size_t npairs = (size_t)batch * seq * half_dim;
	for (size_t i = get_global_id(0); i < npairs; i += get_global_size(0)) {
		const uint d = i % half_dim;
		const size_t row = i / half_dim;
		const float angle = (float)positions[row % seq] *
		    pow(base, -2.0f * (float)d / (float)dim);
		const size_t lo = row * dim + d;
		const size_t hi = lo + half_dim;
		const float x1 = kf_load(x, lo);
		const float x2 = kf_load(x, hi);
		kf_store(out, lo, x1 * cos(angle) - x2 * sin(angle));
		kf_store(out, hi, x1 * sin(angle) + x2 * cos(angle));
	}
}
