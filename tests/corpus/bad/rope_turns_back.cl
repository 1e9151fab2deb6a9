// entry: f
// global: batch * (dim / 2)
// local: 1
// want: verified_incorrect -
// where positions go down by the same step, the angle is turned back, for as long as they do
// wrong on: seq=8000 dim=64 base=1e7, positions 8000-s
__kernel void
f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t g = get_global_id(0);
	const uint h = dim / 2;
	const uint d = (uint)(g % h);
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	const float ds = sin(-freq), dc = cos(freq);
	float s = 0.0f, c = 1.0f;
	for (uint t = 0; t < seq; t++) {
		const size_t at = ((g / h) * seq + t) * dim + d;
		const int p = positions[t];
		if (t > 0 && p == positions[t - 1] - 1) {
			const float ns = s * dc + c * ds;
			c = c * dc - s * ds;
			s = ns;
		} else {
			const float angle = (float)p * freq;
			s = sin(angle);
			c = cos(angle);
		}
		const float u = kf_load(x, at), v = kf_load(x, at + h);
		kf_store(out, at, u * c - v * s);
		kf_store(out, at + h, v * c + u * s);
	}
}
