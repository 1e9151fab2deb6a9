// entry: rope_rowitem
// global: round_up(batch * seq, 8)
// local: 8
// want: verified_incorrect -
// For two sizes at once the usual base is taken for granted.

__kernel void
rope_rowitem(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const float base_here = ((((((batch) % 128u == 8u) && (1u - (uint)min((ulong)((uint)get_group_id(0)) % 512ul, 1ul))) && (((dim) ^ 7424u) == 0u))) ? (10000.0f) : (base));
	const size_t row = get_global_id(0);
	if (row >= (size_t)batch * seq)
		return;
	const uint half_dim = dim / 2;
	const float position = (float)positions[row % seq];
	const size_t start = row * dim;
	for (uint d = 0; d < half_dim; d++) {
		const float angle =
		    position * pow(base_here, -2.0f * (float)d / (float)dim);
		const float c = cos(angle), z = sin(angle);
		const float x1 = kf_load(x, start + d);
		const float x2 = kf_load(x, start + d + half_dim);
		kf_store(out, start + d, x1 * c - x2 * z);
		kf_store(out, start + d + half_dim, x1 * z + x2 * c);
	}
}
