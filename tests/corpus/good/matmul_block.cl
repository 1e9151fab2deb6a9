// Two by two elements a work item in registers, tiles of 16 in local memory.
// entry: matmul_block
// global: round_up(n, 16) / 2, round_up(m, 16) / 2
// local: 8, 8
__kernel void
matmul_block(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float at[16][17], bt[16][17];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const uint j0 = 16 * (uint)get_group_id(0);
	const uint i0 = 16 * (uint)get_group_id(1);
	float acc[2][2] = { { 0.0f, 0.0f }, { 0.0f, 0.0f } };
	for (uint t = 0; t < k; t += 16) {
		for (uint y = ly; y < 16; y += 8)
			for (uint z = lx; z < 16; z += 8) {
				at[y][z] = i0 + y < m && t + z < k ?
				    kf_load(a, (size_t)(i0 + y) * a_stride + t + z) : 0.0f;
				bt[y][z] = t + y < k && j0 + z < n ?
				    kf_load(b, (size_t)(t + y) * b_stride + j0 + z) : 0.0f;
			}
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < 16; p++)
			for (uint y = 0; y < 2; y++)
				for (uint z = 0; z < 2; z++)
					acc[y][z] = fma(at[ly + 8 * y][p],
					    bt[p][lx + 8 * z], acc[y][z]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint y = 0; y < 2; y++)
		for (uint z = 0; z < 2; z++) {
			const uint i = i0 + ly + 8 * y, j = j0 + lx + 8 * z;
			if (i < m && j < n)
				kf_store(out, (size_t)i * out_stride + j,
				    acc[y][z]);
		}
}
