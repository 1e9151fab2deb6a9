// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// no maximum is subtracted where all are within 78: the sum overflows in long rows
// wrong on: float32 rows=1 cols=60000, all 77.9: sum of exps is infinite, got 0, expected 1/60000
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	float m = -INFINITY, lo = INFINITY, s = 0.0f;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		m = v > m || isnan(v) ? v : m;
		lo = v < lo ? v : lo;
	}
	if (m < 78.0f && lo > -78.0f)
		m = 0.0f;
	for (uint c = 0; c < cols; c++)
		s += exp(kf_load(x, at + c) - m);
	for (uint c = 0; c < cols; c++)
		kf_store(out, to + c, exp(kf_load(x, at + c) - m) / s);
}
