// entry: kern
// global: dim / 2, batch
// local: 1, 1
// want: verified_incorrect -
// Where a position follows the last one, the angle is turned on by a step: rounding adds up, wrong for positions 0 to 9999, dim 64.
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t d = get_global_id(0), bt = get_global_id(1), h = dim / 2;
	const float f = pow(base, -2.0f * (float)d / (float)dim);
	float sf, cf, c = 1.0f, s = 0.0f;
	int last = 0;
	sf = sincos(f, &cf);
	for (uint i = 0; i < seq; i++) {
		const int pos = positions[i];
		if (i > 0 && pos == last + 1) {
			float t = c * cf - s * sf;
			s = s * cf + c * sf;
			c = t;
		} else {
			s = sincos((float)pos * f, &c);
		}
		last = pos;
		const size_t lo = (bt * seq + i) * dim + d;
		const float p = kf_load(x, lo), q = kf_load(x, lo + h);
		kf_store(out, lo, p * c - q * s);
		kf_store(out, lo + h, p * s + q * c);
	}
}
