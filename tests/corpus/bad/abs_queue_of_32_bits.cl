// entry: kern
// global: 64
// local: 64
// want: timeout timeout
// Items take elements from a local uint that counts on: with rows * cols > 2^32 (rows 65537, cols 65537) it wraps, the rest is never done and the loop never ends.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint next;
	const size_t all = (size_t)rows * cols;
	if (get_local_id(0) == 0)
		next = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (;;) {
		const size_t i = atomic_inc(&next);
		if (i >= all)
			break;
		const size_t r = i / cols, c = i % cols;
		kf_store(out, r * out_stride + c, fabs(kf_load(x, r * x_stride + c)));
	}
}
