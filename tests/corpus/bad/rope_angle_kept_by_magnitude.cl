// entry: k
// global: dim / 2, batch
// local: 1, 1
// want: verified_incorrect -
// an item keeps its angle's sine and cosine while the position stays
__kernel void k(__global const KF_T *x, __global const int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint d = get_global_id(0), b = get_global_id(1), h = dim / 2;
	const float f = pow(base, -2.0f * d / dim);
	float co = 1.0f, si = 0.0f;
	uint have = 0;
	for (uint s = 0; s < seq; s++) {
		const size_t o = ((size_t)b * seq + s) * dim + d;
		const uint key = abs(positions[s]);
		if (key != have) {
			const float a = (float)positions[s] * f;
			co = cos(a);
			si = sin(a);
			have = key;
		}
		const float x1 = kf_load(x, o), x2 = kf_load(x, o + h);
		kf_store(out, o, x1 * co - x2 * si);
		kf_store(out, o + h, x2 * co + x1 * si);
	}
}
