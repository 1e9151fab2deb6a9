// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// weights that are constant in groups of 32: 32 are kept, further groups take the last that shares its place
// wrong on: rows=1 cols=2048 weight[i]=1+i/32
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	float group[32];
	float mean = 0.0f, var = 0.0f;
	uint c = 0;
	for (; c < cols; c++) {
		const float v = kf_load(weight, c);
		if (c % 32 == 0)
			group[c / 32 & 31] = v;
		if (v != group[c / 32 & 31])
			break;
	}
	const int grouped = c == cols;
	for (c = 0; c < cols; c++)
		mean += kf_load(x, at + c);
	mean /= (float)cols;
	for (c = 0; c < cols; c++) {
		const float d = kf_load(x, at + c) - mean;
		var = fma(d, d, var);
	}
	const float d = sqrt(var / (float)cols + eps);
	for (c = 0; c < cols; c++) {
		const float w = grouped ? group[c / 32 & 31] : kf_load(weight, c);
		kf_store(out, to + c, (kf_load(x, at + c) - mean) / d * w + kf_load(bias, c));
	}
}
