// One work item two rows, so that both share weights and biases.
// entry: layernorm_pairs
// global: ceil_div(rows, 2)
// local: 1
__kernel void
layernorm_pairs(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const size_t r = 2 * get_global_id(0);
	const size_t s = r + 1 < rows ? r + 1 : r;
	const __global KF_T *p = x + r * x_stride;
	const __global KF_T *q = x + s * x_stride;
	float sum_p = 0.0f, sum_q = 0.0f, var_p = 0.0f, var_q = 0.0f;
	for (uint c = 0; c < cols; c++) {
		sum_p += kf_load(p, c);
		sum_q += kf_load(q, c);
	}
	const float mean_p = sum_p / (float)cols;
	const float mean_q = sum_q / (float)cols;
	for (uint c = 0; c < cols; c++) {
		const float d = kf_load(p, c) - mean_p;
		const float e = kf_load(q, c) - mean_q;
		var_p += d * d;
		var_q += e * e;
	}
	const float inv_p = rsqrt(var_p / (float)cols + eps);
	const float inv_q = rsqrt(var_q / (float)cols + eps);
	for (uint c = 0; c < cols; c++) {
		const float w = kf_load(weight, c), b = kf_load(bias, c);
		kf_store(out, r * out_stride + c,
		    (kf_load(p, c) - mean_p) * inv_p * w + b);
		if (s != r)
			kf_store(out, s * out_stride + c,
			    (kf_load(q, c) - mean_q) * inv_q * w + b);
	}
}
