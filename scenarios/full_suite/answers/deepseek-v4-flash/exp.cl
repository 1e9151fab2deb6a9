// A work group a row, striding over its columns.
// entry: exp_grid
// global: rows * 64
// local: 64
__kernel void
exp_grid(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint row = get_group_id(0);
	const __global KF_T *src = x + (size_t)row * x_stride;
	__global KF_T *dst = out + (size_t)row * out_stride;
	for (uint c = get_local_id(0); c < cols; c += get_local_size(0)) {
		const float v = kf_load(src, c);
		kf_store(dst, c, exp(v));
	}
}
