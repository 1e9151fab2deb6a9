// entry: f
// global: 1
// local: 1
// want: verified_incorrect -
// the root is kept where the row before has the same sum of magnitudes, maximum, first two and last two
// wrong on: rows=2 cols=8: 1 1 6 2 3 7 1 1 / 1 1 5 4 2 7 1 1
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	float p0 = NAN, p1 = NAN, p2 = NAN, p3 = NAN, pm = NAN, ps = NAN, d = 1.0f;
	for (uint r = 0; r < rows; r++) {
		const size_t at = (size_t)r * x_stride, to = (size_t)r * out_stride;
		const float f0 = kf_load(x, at), f1 = kf_load(x, at + min(cols - 1, 1u));
		const float f2 = kf_load(x, at + cols - 1), f3 = kf_load(x, at + max(cols, 2u) - 2);
		float m = 0.0f, s = 0.0f, q = 0.0f;
		for (uint c = 0; c < cols; c++) {
			const float v = fabs(kf_load(x, at + c));
			m = fmax(m, v);
			s += v;
		}
		const float other = (fabs(f0 - p0) + fabs(f1 - p1)) + (fabs(f2 - p2) + fabs(f3 - p3)) + (fabs(m - pm) + fabs(s - ps));
		if (!(other == 0.0f)) {
			q = 0.0f;
			for (uint c = 0; c < cols; c++) {
				const float v = kf_load(x, at + c);
				q = fma(v, v, q);
			}
			d = sqrt(q / (float)cols + eps);
		}
		p0 = f0;
		p1 = f1;
		p2 = f2;
		p3 = f3;
		pm = m;
		ps = s;
		for (uint c = 0; c < cols; c++)
			kf_store(out, to + c, kf_load(x, at + c) / d * kf_load(weight, c));
	}
}
