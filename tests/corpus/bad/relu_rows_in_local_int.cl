// entry: kern
// global: 4096
// local: 64
// want: verified_incorrect -
// The group keeps its first row in a local int, 4096 more each round: wrong for rows = 2^31 - 1, cols = 1 (2147479552 + 4096 is negative, and below rows).
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local int row;
	if (get_local_id(0) == 0)
		row = get_group_id(0) * 64;
	barrier(CLK_LOCAL_MEM_FENCE);
	while (row < (int)rows) {
		const long r = row + (long)get_local_id(0);
		for (uint c = 0; r < (long)rows && c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (get_local_id(0) == 0)
			row += 4096;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
