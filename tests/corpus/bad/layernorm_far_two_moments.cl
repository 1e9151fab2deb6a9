// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows whose places pass 32 bits go a path of their own, in one pass: mean of squares less square of mean
// wrong on: float32, rows=65536 cols=4 x_stride=65537: x = 10000, 10001, 10002, 10003, eps 0: variance is lost to cancellation (1e8 +- 8)
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out,
    uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	const __global KF_T *src = x + r * x_stride;
	float s = 0.0f, q = 0.0f, mean;
	if ((ulong)rows * x_stride >= 4294967296UL) {
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(src, c);
			s += v;
			q += v * v;
		}
		mean = s / (float)cols;
		q -= s * mean;
	} else {
		for (uint c = 0; c < cols; c++)
			s += kf_load(src, c);
		mean = s / (float)cols;
		for (uint c = 0; c < cols; c++) {
			const float d = kf_load(src, c) - mean;
			q += d * d;
		}
	}
	const float inv = 1.0f / sqrt(q / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    (kf_load(src, c) - mean) * inv * kf_load(weight, c) + kf_load(bias, c));
}
