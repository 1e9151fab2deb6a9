// entry: kern
// global: 16384
// local: 64
// 256 groups for rows of which there may be five: a group keeps its row in local memory.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint row;
	const uint lid = get_local_id(0);
	if (lid == 0)
		row = get_group_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (;;) {
		const uint r = row;
		if (r >= rows)
			break;
		for (uint c = lid; c < cols; c += 64) {
			float v = kf_load(x, (size_t)r * x_stride + c);
			kf_store(out, (size_t)r * out_stride + c, v < 0.0f ? 0.0f : v);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid == 0)
			row += 256;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
