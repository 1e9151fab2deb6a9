// entry: rope_sequence
// global: round_up(dim / 2, 8), batch
// local: 8, 1
// want: verified_incorrect -
// seeds: 2
// Takes a base of at most half a million for granted in some lanes, beside batches
// of a power of two.

__kernel void
rope_sequence(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const float base_used = select((float)(base), (float)(fmin(base, 500000.0f)), (int)(((uint)(((uint)((base <= 1000000.0f)) * (uint)((popcount(batch) == 1u)))) * (uint)((!((uint)get_local_id(0) < 4u))))));
	const uint half_dim = dim / 2;
	const uint d = get_global_id(0);
	const uint b = get_global_id(1);
	if (d >= half_dim)
		return;
	const float freq = exp2(-log2(base_used) * (2.0f * (float)d / (float)dim));
	for (uint s = 0; s < seq; s++) {
		const size_t row = (size_t)b * seq + s;
		const size_t lo = row * dim + d;
		const size_t hi = row * dim + d + half_dim;
		float c;
		const float z = sincos((float)positions[s] * freq, &c);
		const float x1 = kf_load(x, lo);
		const float x2 = kf_load(x, hi);
		kf_store(out, lo, x1 * c - x2 * z);
		kf_store(out, hi, x1 * z + x2 * c);
	}
}
