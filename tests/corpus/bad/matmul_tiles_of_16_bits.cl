// entry: k
// global: round_up(n, 16), round_up(m, 16)
// local: 16, 16
// want: timeout timeout
// Tiles counted in 16 bits: beyond 65,536 of them, each behind barriers, it never ends.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float at[16][32], bt[32][16];
	const uint lx = get_local_id(0), ly = get_local_id(1), j = get_global_id(0), i = get_global_id(1);
	float acc = 0.0f; const uint nt = (k + 31) / 32;
	for (ushort t = 0; t < nt; t++) {
		const uint k0 = t * 32u;
		for (uint h = 0; h < 32; h += 16) {
		at[ly][lx + h] = i < m && k0 + lx + h < k ? kf_load(a, (size_t)i * a_stride + k0 + lx + h) : 0.0f;
		bt[ly + h][lx] = k0 + ly + h < k && j < n ? kf_load(b, (size_t)(k0 + ly + h) * b_stride + j) : 0.0f; }
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < 32; p++) acc += at[ly][p] * bt[p][lx];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (i < m && j < n) kf_store(out, (size_t)i * out_stride + j, acc);
}
