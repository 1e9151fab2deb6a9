// Two columns a work item, half a row apart.
// entry: relu_pair
// global: round_up(ceil_div(cols, 2), 16), rows
// local: 16, 1
__kernel void
relu_pair(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint half_cols = (cols + 1) / 2;
	const uint c = get_global_id(0);
	const __global KF_T *src = x + get_global_id(1) * x_stride;
	__global KF_T *dst = out + get_global_id(1) * out_stride;
	if (c >= half_cols)
		return;
	const float v = kf_load(src, c);
	kf_store(dst, c, v < 0.0f ? 0.0f : v);
	if (c + half_cols < cols) {
		const float w = kf_load(src, c + half_cols);
		kf_store(dst, c + half_cols, w < 0.0f ? 0.0f : w);
	}
}
