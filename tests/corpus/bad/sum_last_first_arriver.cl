// Whoever comes first initialises, and the second may come between.
// want: verified_incorrect race smoke
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local uint s, flag;
	uint l = get_local_id(0); size_t r = get_group_id(0);
	if (l == 0) { flag = 0; s = as_uint(1.0e9f); }
	float acc = 0.0f;
	for (uint c = l; c < cols; c += 64) acc += kf_load(x, r * x_stride + c);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (atomic_cmpxchg(&flag, 0u, 1u) == 0u) atomic_xchg(&s, 0u);   /* the others do not wait for it */
	uint o = atomic_or(&s, 0u);
	atomic_xchg(&s, as_uint(as_float(o) + acc));
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) kf_store(out, r, as_float(s));
}
