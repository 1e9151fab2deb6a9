// One work item an element, each of which looks over its whole row.
// entry: softmax_element
// global: round_up(cols, 32), rows
// local: 32, 1
__kernel void
softmax_element(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	const uint c = get_global_id(0);
	const size_t r = get_global_id(1);
	if (c >= cols)
		return;
	const __global KF_T *src = x + r * x_stride;
	float m = -INFINITY;
	for (uint i = 0; i < cols; i++)
		m = fmax(m, kf_load(src, i));
	float sum = 0.0f;
	for (uint i = 0; i < cols; i++)
		sum += exp(kf_load(src, i) - m);
	kf_store(out, r * out_stride + c, exp(kf_load(src, c) - m) / sum);
}
