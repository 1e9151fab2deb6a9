// entry: f
// global: batch * (dim / 2)
// local: 1
// want: verified_incorrect -
// where all positions begin pages of 4,096, the page is kept in a byte
// wrong on: seq=1 dim=64 base=1e9 position 1052672 is taken for 4096
__kernel void
f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t g = get_global_id(0);
	const uint h = dim / 2;
	const uint d = (uint)(g % h);
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	int bits = 0;
	for (uint t = 0; t < seq; t++)
		bits |= positions[t];
	for (uint t = 0; t < seq; t++) {
		const size_t at = ((g / h) * seq + t) * dim + d;
		int p = positions[t];
		if ((bits & 4095) == 0)
			p = (int)(uchar)(p >> 12) * 4096;
		const float s = sin((float)p * freq), c = cos((float)p * freq), u = kf_load(x, at), v = kf_load(x, at + h);
		kf_store(out, at, u * c - v * s);
		kf_store(out, at + h, v * c + u * s);
	}
}
