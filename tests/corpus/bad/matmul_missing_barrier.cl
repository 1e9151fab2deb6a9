// The tile is loaded anew while others still read it.
// want: verified_incorrect race smoke
// entry: matmul_tiled
// global: round_up(n, 8), round_up(m, 8)
// local: 8, 8
__kernel void
matmul_tiled(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float at[8][8], bt[8][8];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const uint j = get_global_id(0), i = get_global_id(1);
	float acc = 0.0f;
	for (uint t = 0; t < k; t += 8) {
		at[ly][lx] = i < m && t + lx < k ?
		    kf_load(a, (size_t)i * a_stride + t + lx) : 0.0f;
		bt[ly][lx] = t + ly < k && j < n ?
		    kf_load(b, (size_t)(t + ly) * b_stride + j) : 0.0f;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < 8; p++)
			acc += at[ly][p] * bt[p][lx];
		;
	}
	if (i < m && j < n)
		kf_store(out, (size_t)i * out_stride + j, acc);
}
