// entry: k
// global: 8192
// local: 32
// want: verified_incorrect -
// A column is multiplied by 512 to make room for a lane: 23 bits are left of it.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[32];
	const uint lid = get_local_id(0);
	for (size_t r = get_group_id(0); r < rows; r += get_num_groups(0)) {
		float acc = 0.0f;
		for (uint c = lid; c < cols; c += 32) {
			const uint word = c * 512 + lid;
			acc += kf_load(x, r * x_stride + (word >> 9));
		}
		part[lid] = acc;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid == 0) {
			for (uint i = 1; i < 32; i++) acc += part[i];
			kf_store(out, r, acc);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
