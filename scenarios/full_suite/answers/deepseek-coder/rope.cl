// One work item a pair at a position: its angle serves every batch.
// entry: rope_batch
// global: round_up(dim / 2, 16), seq
// local: 16, 1
__kernel void
rope_batch(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const uint d = get_global_id(0);
	const uint s = get_global_id(1);
	if (d >= half_dim)
		return;
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	const float angle = (float)positions[s] * freq;
	const float c = cos(angle), z = sin(angle);
	for (uint b = 0; b < batch; b++) {
		const size_t lo = ((size_t)b * seq + s) * dim + d;
		const size_t hi = lo + half_dim;
		const float x1 = kf_load(x, lo);
		const float x2 = kf_load(x, hi);
		kf_store(out, lo, x1 * c - x2 * z);
		kf_store(out, hi, x1 * z + x2 * c);
	}
}
