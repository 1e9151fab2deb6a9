// entry: k
// global: round_up(batch * seq * (dim / 2), 2048) / 4
// local: 512
// want: verified_incorrect -
// Places in 32 bits, four pairs an item: rows beyond 2^32 elements are turned over the first ones.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const size_t n = (size_t)batch * seq * half_dim;
	for (uint j = 0; j < 4; j++) {
		const size_t i = get_global_id(0) + (size_t)j * get_global_size(0);
		if (i < n) {
			const uint d = (uint)(i % half_dim), row = (uint)(i / half_dim);
			const float f = pow(base, -2.0f * (float)d / (float)dim);
			float c, s = sincos((float)positions[row % seq] * f, &c);
			const uint lo = row * dim + d, hi = lo + half_dim;
			const float p = kf_load(x, lo), q = kf_load(x, hi);
			kf_store(out, lo, p * c - q * s);
			kf_store(out, hi, p * s + q * c);
		}
	}
}
