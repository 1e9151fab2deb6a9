// Reads and writes by atomics, and another item may come between.
// want: verified_incorrect schedule smoke
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint s; __local float w[64]; uint l = get_local_id(0); size_t r = get_group_id(0); const __global KF_T *p = x + r * x_stride;
	if (l == 0) s = as_uint(-INFINITY);
	barrier(CLK_LOCAL_MEM_FENCE);
	float m = -INFINITY, acc = 0.0f;
	for (uint c = l; c < cols; c += 64) m = fmax(m, kf_load(p, c));
	if (m > as_float(atomic_or(&s, 0u))) atomic_xchg(&s, as_uint(m));
	barrier(CLK_LOCAL_MEM_FENCE);
	m = as_float(s);
	for (uint c = l; c < cols; c += 64) acc += exp(kf_load(p, c) - m);
	w[l] = acc;
	for (uint h = 32; h; h >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) w[l] += w[l + h]; }
	barrier(CLK_LOCAL_MEM_FENCE);
	float q = w[0];
	for (uint c = l; c < cols; c += 64) kf_store(out, r * out_stride + c, exp(kf_load(p, c) - m) / q);
}
