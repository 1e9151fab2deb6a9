// entry: k
// global: dim / 2, batch
// local: 1, 1
// want: verified_incorrect -
// Keeps an angle where the next position is the same in sixteen bits.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t d = get_global_id(0), b = get_global_id(1), half_dim = dim / 2;
	const float f = pow(base, -2.0f * (float)d / (float)dim);
	ushort kept = (ushort)positions[0];
	float c, s = sincos((float)positions[0] * f, &c);
	for (uint i = 0; i < seq; i++) {
		const int pos = positions[i];
		if ((ushort)pos != kept) {
			s = sincos((float)pos * f, &c);
			kept = (ushort)pos;
		}
		const size_t lo = (b * seq + i) * dim + d, hi = lo + half_dim;
		const float p = kf_load(x, lo), q = kf_load(x, hi);
		kf_store(out, lo, p * c - q * s);
		kf_store(out, hi, p * s + q * c);
	}
}
