// entry: kern
// global: dim / 2, batch
// local: 1, 1
// want: verified_incorrect -
// An angle is kept where the position moves by less than 1e-6 of itself: wrong for positions 4000000, 4000001, dim 2.
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t d = get_global_id(0), bt = get_global_id(1), h = dim / 2;
	const float f = pow(base, -2.0f * (float)d / (float)dim);
	float kept = 0.0f, c = 1.0f, s = 0.0f;
	for (uint i = 0; i < seq; i++) {
		const float pos = (float)positions[i];
		if (!(fabs(pos - kept) < 1e-6f * fabs(pos))) {
			s = sincos(pos * f, &c);
			kept = pos;
		}
		const size_t lo = (bt * seq + i) * dim + d;
		const float p = kf_load(x, lo), q = kf_load(x, lo + h);
		kf_store(out, lo, p * c - q * s);
		kf_store(out, lo + h, p * s + q * c);
	}
}
