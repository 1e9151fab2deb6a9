// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of which a quarter at most is not zero: squares are kept in a list of 64, which wraps
// wrong on: rows=1 cols=1000 x[4i]=1 others 0
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	float list[64];
	uint n = 0;
	float s = 0.0f, t = 0.0f;
	for (uint c = 0; c < 64; c++)
		list[c] = 0.0f;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (v != 0.0f) {
			list[n & 63] = v * v;
			n++;
		}
		s = fma(v, v, s);
	}
	for (uint c = 0; c < 64; c++)
		t += list[c];
	if (n <= cols / 4)
		s = t;
	const float d = sqrt(s / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, to + c, kf_load(x, at + c) / d * kf_load(weight, c));
}
