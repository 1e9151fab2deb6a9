// entry: kern
// global: 2048
// local: 64
// A queue of eights of columns, begun anew in each row that a group comes to.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint next;
	for (size_t r = get_group_id(0); r < rows; r += 32) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (get_local_id(0) == 0)
			next = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (;;) {
			const uint c0 = atomic_add(&next, 8u);
			if (c0 >= cols)
				break;
			for (uint c = c0; c - c0 < 8 && c < cols; c++)
				kf_store(out, r * out_stride + c, fabs(kf_load(x, r * x_stride + c)));
		}
	}
}
