// entry: kern
// global: rows * 64
// local: 64
// Items take tiles of four columns from a queue of their row.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint next;
	const size_t r = get_group_id(0);
	if (get_local_id(0) == 0)
		next = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (;;) {
		const uint ticket = atomic_inc(&next);
		if (ticket >= (cols - 1) / 4 + 1)
			break;
		for (uint c = ticket * 4; c < ticket * 4 + 4 && c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
		}
	}
}
