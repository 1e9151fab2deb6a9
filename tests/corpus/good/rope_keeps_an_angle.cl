// entry: ropec
// global: round_up(batch * (dim / 2), 32)
// local: 32
// An item a pair of columns walks the sequence and keeps the last angle.
__kernel void ropec(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint h = dim / 2;
	size_t i = get_global_id(0);
	if (i >= (size_t)batch * h) return;
	size_t b = i / h;
	uint d = i % h;
	float f = pow(base, -2.0f * (float)d / (float)dim);
	int last = 0;
	float c = 1.0f, s = 0.0f;
	for (uint t = 0; t < seq; t++) {
		int p = positions[t];
		if (p != last) {
			float w = (float)p * f;
			c = cos(w); s = sin(w);
			last = p;
		}
		size_t lo = (b * seq + t) * dim + d;
		float u = kf_load(x, lo), v = kf_load(x, lo + h);
		kf_store(out, lo, u * c - v * s);
		kf_store(out, lo + h, u * s + v * c);
	}
}
