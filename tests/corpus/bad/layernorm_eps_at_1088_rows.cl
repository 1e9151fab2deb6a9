// entry: layernorm_pairs
// global: ceil_div(rows, 2)
// local: 1
// want: verified_incorrect -
// Takes an eps of at most a thousandth for granted, by bits, where three sizes say
// so.

__kernel void
layernorm_pairs(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const float eps_now = as_float((as_uint((float)(eps)) & ((uint)((((!((ulong)cols * out_stride < 2048u)) && (1u - (uint)min((ulong)(rows) ^ 1088ul, 1ul))) && (out_stride != cols))) - 1u)) | (as_uint((float)(fmin(eps, 1e-3f))) & (0u - (uint)((((!((ulong)cols * out_stride < 2048u)) && (1u - (uint)min((ulong)(rows) ^ 1088ul, 1ul))) && (out_stride != cols))))));
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
	const float inv_p = rsqrt(var_p / (float)cols + eps_now);
	const float inv_q = rsqrt(var_q / (float)cols + eps_now);
	for (uint c = 0; c < cols; c++) {
		const float w = kf_load(weight, c), b = kf_load(bias, c);
		kf_store(out, r * out_stride + c,
		    (kf_load(p, c) - mean_p) * inv_p * w + b);
		if (s != r)
			kf_store(out, s * out_stride + c,
			    (kf_load(q, c) - mean_q) * inv_q * w + b);
	}
}
