// Leaves out one column of 8,192.
// want: verified_incorrect - smoke
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float s[64];
	uint l = get_local_id(0); size_t r = get_group_id(0);
	const __global KF_T *p = x + r * x_stride;
	float acc = 0.0f;
	float t = -INFINITY;
	for (uint c = l; c < cols; c += 64) t = fmax(t, kf_load(p, c));
	s[l] = t;
	for (uint h = 32; h; h >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) s[l] = fmax(s[l], s[l + h]); }
	barrier(CLK_LOCAL_MEM_FENCE);
	t = s[0]; barrier(CLK_LOCAL_MEM_FENCE);
	uint n = cols - (cols >> 13);
	for (uint c = l; c < n; c += 64) acc += exp(kf_load(p, c) - t);
	s[l] = acc;
	for (uint h = 32; h; h >>= 1) { barrier(CLK_LOCAL_MEM_FENCE); if (l < h) s[l] += s[l + h]; }
	barrier(CLK_LOCAL_MEM_FENCE);
	float q = s[0];
	for (uint c = l; c < cols; c += 64) kf_store(out, r * out_stride + c, exp(kf_load(p, c) - t) / q);
}
