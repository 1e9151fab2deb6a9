// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[64];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0);
	const __global KF_T *p = x + r * x_stride;
	float m = -INFINITY, s = 0.0f;
	for (uint c = l; c < cols; c += 64)
		m = fmax(m, kf_load(p, c));
	part[l] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint o = 32; o > 0; o >>= 1) {
		if (l < o)
			part[l] = fmax(part[l], part[l + o]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	m = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = l; c < cols; c += 64)
		s += exp(kf_load(p, (ulong)c * 262147ul % cols) - m);
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint o = 32; o > 0; o >>= 1) {
		if (l < o)
			part[l] += part[l + o];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	s = part[0];
	for (uint c = l; c < cols; c += 64)
		kf_store(out, r * out_stride + c, exp(kf_load(p, c) - m) / s);
}
