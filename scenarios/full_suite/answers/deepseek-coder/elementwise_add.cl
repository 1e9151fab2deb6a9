// A work group a row, striding over its columns.
// entry: elementwise_add_row
// global: rows * 64
// local: 64
__kernel void
elementwise_add_row(const __global KF_T *a, const __global KF_T *b,
    __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride,
    uint out_stride)
{
	const size_t r = get_group_id(0);
	const __global KF_T *left = a + r * a_stride;
	const __global KF_T *right = b + r * b_stride;
	__global KF_T *to = out + r * out_stride;
	for (uint c = get_local_id(0); c < cols; c += get_local_size(0)) {
		const float p = kf_load(left, c);
		const float q = kf_load(right, c);
		kf_store(to, c, p + q);
	}
}
