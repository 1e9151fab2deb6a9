// entry: f
// global: 1
// local: 1
// want: verified_incorrect -
// the denominator is kept where maximum, sum and sum of squares are those of the row before
// wrong on: float32 rows=2 cols=4 x = 7 0 4 5 / 7 1 2 6
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	float pm = NAN, ps = NAN, pq = NAN, den = 1.0f;
	for (uint r = 0; r < rows; r++) {
		const size_t at = (size_t)r * x_stride, to = (size_t)r * out_stride;
		float m = -INFINITY, s = 0.0f, q = 0.0f;
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, at + c);
			m = v > m || isnan(v) ? v : m;
			s += v;
			q = fma(v, v, q);
		}
		if (!(m == pm && s == ps && q == pq && q < 1e30f)) {
			den = 0.0f;
			for (uint c = 0; c < cols; c++)
				den += exp(kf_load(x, at + c) - m);
		}
		pm = m;
		ps = s;
		pq = q;
		for (uint c = 0; c < cols; c++)
			kf_store(out, to + c, exp(kf_load(x, at + c) - m) / den);
	}
}
