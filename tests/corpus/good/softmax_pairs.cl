// One work item two rows, so that both share the loop.
// entry: softmax_pairs
// global: ceil_div(rows, 2)
// local: 1
__kernel void
softmax_pairs(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t r = 2 * get_global_id(0);
	const size_t s = r + 1 < rows ? r + 1 : r;
	const __global KF_T *p = x + r * x_stride;
	const __global KF_T *q = x + s * x_stride;
	float m = -INFINITY, n = -INFINITY;
	float sum_p = 0.0f, sum_q = 0.0f;
	for (uint c = 0; c < cols; c++) {
		m = fmax(m, kf_load(p, c));
		n = fmax(n, kf_load(q, c));
	}
	for (uint c = 0; c < cols; c++) {
		sum_p += exp(kf_load(p, c) - m);
		sum_q += exp(kf_load(q, c) - n);
	}
	for (uint c = 0; c < cols; c++) {
		kf_store(out, r * out_stride + c,
		    exp(kf_load(p, c) - m) / sum_p);
		if (s != r)
			kf_store(out, s * out_stride + c,
			    exp(kf_load(q, c) - n) / sum_q);
	}
}
