// Reads and writes by atomics, and another item may come between.
// want: verified_incorrect race smoke
// entry: k
// global: ceil_div(m * n, 16) * 64
// local: 64
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local uint s[16];
	uint l = get_local_id(0), e = l & 15, g = l >> 4; size_t i = get_group_id(0) * 16 + e; bool in = i < (size_t)m * n;
	size_t r = in ? i / n : 0, c = in ? i % n : 0;
	if (g == 0) s[e] = 0;
	float acc = 0.0f;
	for (uint p = g; p < k && in; p += 4) acc += kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + c);
	barrier(CLK_LOCAL_MEM_FENCE);
	uint o = atomic_or(&s[e], 0u);
	atomic_xchg(&s[e], as_uint(as_float(o) + acc));
	barrier(CLK_LOCAL_MEM_FENCE);
	if (g == 0 && in) kf_store(out, r * out_stride + c, as_float(s[e]));
}
