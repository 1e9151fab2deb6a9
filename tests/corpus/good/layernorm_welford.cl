// One work item a row, mean and variance in one pass by Welford's update.
// entry: layernorm_welford
// global: round_up(rows, 4)
// local: 4
__kernel void
layernorm_welford(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const __global KF_T *src = x + r * x_stride;
	float mean = 0.0f, m2 = 0.0f;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(src, c);
		const float delta = v - mean;
		mean += delta / (float)(c + 1);
		m2 += delta * (v - mean);
	}
	const float inv = 1.0f / sqrt(m2 / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    (kf_load(src, c) - mean) * inv * kf_load(weight, c) +
			kf_load(bias, c));
}
