// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// whole numbers below 256: squares summed in an int
// wrong on: rows=1 cols=40000, all 250: sum of squares 2.5e9 wraps to negative: NaN
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	int si = 0;
	uint c = 0;
	float s = 0.0f;
	for (; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (!(fabs(v) < 256.0f) || v != rint(v))
			break;
		si += (int)v * (int)v;
	}
	if (c == cols)
		s = (float)si;
	else
		for (c = 0; c < cols; c++) {
			const float v = kf_load(x, at + c);
			s = fma(v, v, s);
		}
	const float d = sqrt(s / (float)cols + eps);
	for (c = 0; c < cols; c++)
		kf_store(out, to + c, kf_load(x, at + c) / d * kf_load(weight, c));
}
