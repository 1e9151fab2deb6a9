// Compares by bits: a NaN with a sign is the least.
// want: verified_incorrect wrong smoke
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local int s[64];
	uint l = get_local_id(0); size_t r = get_group_id(0);
	int m = (int)0x80000000;
	for (uint c = l; c < cols; c += 64) { int b = as_int(kf_load(x, r * x_stride + c)); b ^= (b >> 31) & 0x7fffffff; m = max(m, b); }
	s[l] = m;
	for (uint h = 32; h; h >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) s[l] = max(s[l], s[l + h]); }
	if (l == 0) { int b = s[0]; b ^= (b >> 31) & 0x7fffffff; kf_store(out, r, as_float(b)); }
}
