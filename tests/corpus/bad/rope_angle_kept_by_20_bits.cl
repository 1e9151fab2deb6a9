// entry: kern
// global: dim / 2, batch
// local: 1, 1
// want: verified_incorrect -
// An angle is kept by the low 20 bits of its position: wrong for positions 7, 1048583.
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t d = get_global_id(0), bt = get_global_id(1), h = dim / 2;
	const float f = pow(base, -2.0f * (float)d / (float)dim);
	uint kept = (uint)positions[0] << 12;
	float c, s = sincos((float)positions[0] * f, &c);
	for (uint i = 0; i < seq; i++) {
		const int pos = positions[i];
		if ((uint)pos << 12 != kept) {
			s = sincos((float)pos * f, &c);
			kept = (uint)pos << 12;
		}
		const size_t lo = (bt * seq + i) * dim + d;
		const float p = kf_load(x, lo), q = kf_load(x, lo + h);
		kf_store(out, lo, p * c - q * s);
		kf_store(out, lo + h, p * s + q * c);
	}
}
