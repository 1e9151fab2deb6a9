// Angles are read before they are all there.
// want: verified_incorrect race smoke
// entry: rope_shared
// global: round_up(dim / 2, 16), 4
// local: 16, 4
__kernel void
rope_shared(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	__local float co[16], si[16];
	const uint half_dim = dim / 2;
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const uint d = get_global_id(0);
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	for (uint s = 0; s < seq; s++) {
		if (ly == 0) {
			co[lx] = cos((float)positions[s] * freq);
			si[lx] = sin((float)positions[s] * freq);
		}
		;
		for (uint b = ly; b < batch; b += 4) {
			const size_t lo = ((size_t)b * seq + s) * dim + d;
			const size_t hi = lo + half_dim;
			if (d >= half_dim)
				break;
			const float x1 = kf_load(x, lo);
			const float x2 = kf_load(x, hi);
			kf_store(out, lo, x1 * co[lx] - x2 * si[lx]);
			kf_store(out, hi, x1 * si[lx] + x2 * co[lx]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
