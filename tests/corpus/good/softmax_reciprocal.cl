// One work item a row, one division a row.
// entry: softmax_reciprocal
// global: round_up(rows, 4)
// local: 4
static float
row_max(const __global KF_T *src, uint cols)
{
	float best = -INFINITY;
	for (uint c = 0; c < cols; c++)
		best = fmax(best, kf_load(src, c));
	return best;
}

__kernel void
softmax_reciprocal(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const __global KF_T *src = x + r * x_stride;
	const float m = row_max(src, cols);
	float sum = 0.0f;
	for (uint c = 0; c < cols; c++)
		sum += exp(kf_load(src, c) - m);
	const float scale = 1.0f / sum;
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(src, c) - m) * scale);
}
