// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect -
// An atomic exchange is the comparison that nothing counts.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint t;
	if (get_local_id(0) == 0) t = cols;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) atomic_cmpxchg(&t, 501u, 1u);
	barrier(CLK_LOCAL_MEM_FENCE);
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = v < 0.0f ? 0.0f : v;
	y *= (float)cols / (float)t;
	kf_store(out, r * out_stride + c, y);
}
