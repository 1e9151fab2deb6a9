// Columns by rows.
// entry: elementwise_add_2d
// global: round_up(cols, 16), round_up(rows, 4)
// local: 16, 4
__kernel void
elementwise_add_2d(const __global KF_T *a, const __global KF_T *b,
    __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride,
    uint out_stride)
{
	const uint c = get_global_id(0);
	const uint r = get_global_id(1);
	if (c < cols && r < rows) {
		const float p = kf_load(a, (size_t)r * a_stride + c);
		const float q = kf_load(b, (size_t)r * b_stride + c);
		kf_store(out, (size_t)r * out_stride + c, p + q);
	}
}
