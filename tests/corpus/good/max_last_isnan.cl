// Goes on from a NaN: every item asks of its maximum whether it is one.
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float s[64]; uint l = get_local_id(0); size_t r = get_group_id(0); float m = -INFINITY;
	for (uint c = l; c < cols; c += 64) { float v = kf_load(x, r * x_stride + c); m = isnan(m) || m > v ? m : v; }
	s[l] = m;
	for (uint h = 32; h; h >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) { float v = s[l + h]; m = isnan(m) || m > v ? m : v; s[l] = m; } }
	if (l == 0) kf_store(out, r, m);
}
