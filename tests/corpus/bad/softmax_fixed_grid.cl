// entry: k
// global: 16384
// local: 64
// want: verified_incorrect -
// A grid of fixed size walks the rows, its columns by a place of 22 bits: in a row of 2^22 + 64 columns, zeros but for 50 in the last one, the 50 is not seen by the maximum and the sum.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);

	for (size_t r = get_group_id(0); r < rows; r += get_num_groups(0)) {
		float m = -INFINITY, sum = 0.0f, all = 0.0f;
		for (uint c = lid; c < cols; c += 64)
			m = fmax(m, kf_load(x, r * x_stride + (c & 0x3fffffu)));
		part[lid] = m;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < 64; i++)
			m = fmax(m, part[i]);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint c = lid; c < cols; c += 64)
			sum += exp(kf_load(x, r * x_stride + (c & 0x3fffffu)) - m);
		part[lid] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = 0; i < 64; i++)
			all += part[i];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint c = lid; c < cols; c += 64)
			kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / all);
	}
}
