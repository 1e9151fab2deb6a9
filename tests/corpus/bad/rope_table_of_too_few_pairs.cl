// entry: k
// global: batch * 64, seq
// local: 64, 1
// want: crash|verified_incorrect -
// Keeps the cosines of up to 3,071 pairs in 2,304 places.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	__local float cs[2304], sn[2304];
	const uint lid = get_local_id(0), half_dim = dim / 2;
	const uint s = get_global_id(1), b = get_group_id(0);
	const bool kept = (half_dim >> 4) < 192;
	const size_t row = ((size_t)b * seq + s) * dim;
	const float pos = (float)positions[s];
	for (uint d = lid; d < half_dim; d += 64) {
		const float angle = pos * pow(base, -2.0f * (float)d / (float)dim);
		float c = cos(angle), t = sin(angle);
		if (kept) {
			cs[d] = c;
			sn[d] = t;
		} else {
			const float p = kf_load(x, row + d), q = kf_load(x, row + half_dim + d);
			kf_store(out, row + d, p * c - q * t);
			kf_store(out, row + half_dim + d, p * t + q * c);
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint d = lid; kept && d < half_dim; d += 64) {
		const float p = kf_load(x, row + d), q = kf_load(x, row + half_dim + d);
		kf_store(out, row + d, p * cs[d] - q * sn[d]);
		kf_store(out, row + half_dim + d, p * sn[d] + q * cs[d]);
	}
}
