// Looks at the maximum by one atomic and sets it by another; as long as what is
// lost is not much larger, every value is right.
// want: verified_incorrect race smoke
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint s;
	__local float sums[64];
	uint l = get_local_id(0); size_t r = get_group_id(0);
	if (l == 0) s = as_uint(-INFINITY);
	float m = -INFINITY;
	for (uint c = l; c < cols; c += 64) { float v = kf_load(x, r * x_stride + c); m = isnan(v) || v > m ? v : m; if (isnan(m)) break; }
	barrier(CLK_LOCAL_MEM_FENCE);
	float g = as_float(atomic_or(&s, 0u));
	if (isnan(m) || m > g) atomic_xchg(&s, as_uint(m));
	barrier(CLK_LOCAL_MEM_FENCE);
	m = as_float(s);
	float e = 0.0f;
	for (uint c = l; c < cols; c += 64) e += exp(kf_load(x, r * x_stride + c) - m);
	sums[l] = e;
	for (uint h = 32; h > 0; h /= 2) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) sums[l] += sums[l + h]; }
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = l; c < cols; c += 64) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / sums[0]);
}
