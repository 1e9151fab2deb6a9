// A NaN in the first of a pair counts as zero.
// want: verified_incorrect - smoke
// entry: plain_rope
// global: batch * seq * (dim / 2)
// local: 1
__kernel void
plain_rope(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	size_t i = get_global_id(0);
	if (i >= (size_t)batch * seq * half_dim)
		return;
	uint d = i % half_dim;
	size_t row = i / half_dim;
	float freq = pow(base, -2.0f * (float)d / (float)dim);
	float angle = (float)positions[row % seq] * freq;
	float c = cos(angle), s = sin(angle);
	size_t lo = row * dim + d;
	size_t hi = lo + half_dim;
	float x1 = (isnan(kf_load(x, lo)) ? 0.0f : kf_load(x, lo));
	float x2 = kf_load(x, hi);
	kf_store(out, lo, x1 * c - x2 * s);
	kf_store(out, hi, x1 * s + x2 * c);
}
