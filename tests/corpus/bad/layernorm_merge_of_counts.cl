// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// two halves of a row are merged by Chan: the product of their counts is 32 bits wide
// wrong on: rows=1 cols=200000, first half 0 other half 10: variance 25, got 25*(10^10 mod 2^32)/10^10
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	const uint na = (cols + 1) / 2, nb = cols - na;
	float ma = 0.0f, mb = 0.0f, qa = 0.0f, qb = 0.0f;
	for (uint c = 0; c < na; c++)
		ma += kf_load(x, at + c);
	for (uint c = na; c < cols; c++)
		mb += kf_load(x, at + c);
	ma /= (float)na;
	mb = nb > 0 ? mb / (float)nb : ma;
	for (uint c = 0; c < na; c++) {
		const float d = kf_load(x, at + c) - ma;
		qa = fma(d, d, qa);
	}
	for (uint c = na; c < cols; c++) {
		const float d = kf_load(x, at + c) - mb;
		qb = fma(d, d, qb);
	}
	const float delta = mb - ma;
	const float mean = ma + delta * ((float)nb / (float)cols);
	const float var = (qa + qb) / (float)cols + delta * delta * ((float)(na * nb) / ((float)cols * (float)cols));
	const float d = sqrt(var + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, to + c, (kf_load(x, at + c) - mean) / d * kf_load(weight, c) + kf_load(bias, c));
}
