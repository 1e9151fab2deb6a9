// Reads and writes by atomics, and another item may come between.
// want: verified_incorrect race smoke
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local uint s;
	uint l = get_local_id(0); size_t r = get_group_id(0);
	if (l == 0) s = as_uint(-INFINITY);
	float m = -INFINITY;
	for (uint c = l; c < cols; c += 64) { float v = kf_load(x, r * x_stride + c); if (isnan(v) || v > m) { m = v; if (isnan(v)) break; } }
	barrier(CLK_LOCAL_MEM_FENCE);
	float g = as_float(atomic_or(&s, 0u));
	if (isnan(m) || m > g) atomic_xchg(&s, as_uint(m));
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) kf_store(out, r, as_float(s));
}
