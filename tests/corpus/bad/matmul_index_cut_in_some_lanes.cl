// entry: matmul_tile16
// global: round_up(n, 16), round_up(m, 16)
// local: 16, 16
// want: verified_incorrect -
// Cuts an index to sixteen bits in some lanes of launches of some sizes: few rows
// that lie close show nothing.

__kernel void
matmul_tile16(const __global KF_T *a, const __global KF_T *b,
    __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride,
    uint out_stride)
{
	__local float at[16][17], bt[16][17];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const uint j = get_global_id(0), i = get_global_id(1);
	float acc = 0.0f;
	for (uint t = 0; t < k; t += 16) {
		at[ly][lx] = i < m && t + lx < k ?
		    kf_load(a, (((uint)((((uint)get_num_groups(1)) % 1000u == 16u)) * (uint)((!((uint)get_local_id(0) < 9u))))) ? (size_t)(((size_t)i * a_stride + t + lx) & 0xffffu) : (size_t)((size_t)i * a_stride + t + lx)) : 0.0f;
		bt[ly][lx] = t + ly < k && j < n ?
		    kf_load(b, (size_t)(t + ly) * b_stride + j) : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < 16; p++)
			acc = fma(at[ly][p], bt[p][lx], acc);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (i < m && j < n)
		kf_store(out, (size_t)i * out_stride + j, acc);
}
