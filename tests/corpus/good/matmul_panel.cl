// A panel of b, 64 deep and 16 wide, in local memory for four rows of a.
// entry: matmul_panel
// global: round_up(n, 16), round_up(m, 4)
// local: 16, 4
__kernel void
matmul_panel(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float panel[64][16];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const uint j = get_global_id(0), i = get_global_id(1);
	float acc = 0.0f;
	for (uint t = 0; t < k; t += 64) {
		const uint depth = min(k - t, 64u);
		for (uint p = ly; p < depth && j < n; p += 4)
			panel[p][lx] = kf_load(b, (size_t)(t + p) * b_stride + j);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < depth && i < m && j < n; p++)
			acc += kf_load(a, (size_t)i * a_stride + t + p) *
			    panel[p][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (i < m && j < n)
		kf_store(out, (size_t)i * out_stride + j, acc);
}
