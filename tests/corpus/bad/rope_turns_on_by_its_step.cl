// entry: f
// global: batch * (dim / 2)
// local: 1
// want: verified_incorrect -
// where positions go on by the same step (above 2), the angle is turned on, for as long as they do
// wrong on: seq=8000 dim=64 base=1e7, positions 3*s: cosines of small steps round, the norm drifts
__kernel void
f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t g = get_global_id(0);
	const uint h = dim / 2;
	const uint d = (uint)(g % h);
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	float s = 0.0f, c = 1.0f, ds = 0.0f, dc = 1.0f;
	int before = 0, step = 0;
	for (uint t = 0; t < seq; t++) {
		const size_t at = ((g / h) * seq + t) * dim + d;
		const int p = positions[t];
		const long by = (long)p - before;
		if (by == step && by > 2) {
			const float ns = s * dc + c * ds;
			c = c * dc - s * ds;
			s = ns;
		} else {
			const float angle = (float)p * freq;
			s = sin(angle);
			c = cos(angle);
			ds = sin((float)by * freq);
			dc = cos((float)by * freq);
		}
		step = (int)by;
		before = p;
		const float u = kf_load(x, at), v = kf_load(x, at + h);
		kf_store(out, at, u * c - v * s);
		kf_store(out, at + h, v * c + u * s);
	}
}
