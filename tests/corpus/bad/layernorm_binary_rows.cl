// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of zeros and ones: the variance is ones times zeros, multiplied in 32 bits, over n^2
// wrong on: float32 rows=1 cols=200000, first half 0 other half 1: 10^10 wraps
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	uint ones = 0, zeros = 0;
	float mean = 0.0f, var = 0.0f;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		ones += v == 1.0f;
		zeros += v == 0.0f;
		mean += v;
	}
	mean /= (float)cols;
	if (ones + zeros == cols) {
		mean = (float)ones / (float)cols;
		var = (float)(ones * zeros) / (float)cols / (float)cols;
	} else {
		for (uint c = 0; c < cols; c++) {
			const float d = kf_load(x, at + c) - mean;
			var = fma(d, d, var);
		}
		var /= (float)cols;
	}
	const float d = sqrt(var + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, to + c, (kf_load(x, at + c) - mean) / d * kf_load(weight, c) + kf_load(bias, c));
}
