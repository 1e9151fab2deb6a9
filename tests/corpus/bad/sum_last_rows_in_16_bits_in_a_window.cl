// entry: k
// global: rows * 32
// local: 32
// want: verified_incorrect wrong
// Rows counted in 16 bits for 1,152 to 1,535 columns.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[32];
	const uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	float s = 0.0f;
	const size_t xo = ((cols >> 7) > 8 && (cols >> 8) < 6 ? (size_t)(ushort)r : r) * x_stride;
	for (uint c = lid; c < cols; c += 32)
		s += kf_load(x, xo + c);
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	s = 0.0f;
	for (uint i = 0; i < 32; i++)
		s += part[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0)
		kf_store(out, r, s);
}
