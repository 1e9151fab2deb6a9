// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// an arithmetic progression has the variance step^2 (n^2-1)/12, n^2 in 32 bits
// wrong on: float32 rows=1 cols=70000, x[i]=i
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	const float first = kf_load(x, at);
	const float step = cols > 1 ? kf_load(x, at + 1) - first : 0.0f;
	uint c = 1;
	float mean = 0.0f, var = 0.0f;
	while (c < cols && kf_load(x, at + c) - kf_load(x, at + c - 1) == step && step != 0.0f && fabs(step) < 1024.0f)
		c++;
	if (c == cols && cols > 1) {
		mean = 0.5f * (first + kf_load(x, at + cols - 1));
		var = step * step * ((float)(cols * cols - 1) / 12.0f);
	} else {
		for (c = 0; c < cols; c++)
			mean += kf_load(x, at + c);
		mean /= (float)cols;
		for (c = 0; c < cols; c++) {
			const float d = kf_load(x, at + c) - mean;
			var = fma(d, d, var);
		}
		var /= (float)cols;
	}
	const float d = sqrt(var + eps);
	for (c = 0; c < cols; c++)
		kf_store(out, to + c, (kf_load(x, at + c) - mean) / d * kf_load(weight, c) + kf_load(bias, c));
}
