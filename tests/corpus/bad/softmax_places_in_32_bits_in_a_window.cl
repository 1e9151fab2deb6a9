// entry: k
// global: rows * 32
// local: 32
// want: verified_incorrect wrong
// Places of x in 32 bits for 1,152 to 1,535 columns, in three passes.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[32];
	const uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	const size_t oo = r * out_stride;
	size_t xo = r * x_stride;
	if ((cols >> 7) > 8 && (cols >> 8) < 6)
		xo = (uint)r * x_stride;
	float m = -INFINITY;
	for (uint c = lid; c < cols; c += 32)
		m = fmax(m, kf_load(x, xo + c));
	part[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < 32; i++)
		m = fmax(m, part[i]);
	barrier(CLK_LOCAL_MEM_FENCE);
	float s = 0.0f;
	for (uint c = lid; c < cols; c += 32)
		s += exp(kf_load(x, xo + c) - m);
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	s = 0.0f;
	for (uint i = 0; i < 32; i++)
		s += part[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = lid; c < cols; c += 32)
		kf_store(out, oo + c, exp(kf_load(x, xo + c) - m) / s);
}
