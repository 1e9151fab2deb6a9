// A strip of a row of a, 64 long, in local memory for sixteen columns.
// entry: matmul_strip
// global: round_up(n, 16), m
// local: 16, 1
__kernel void
matmul_strip(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float strip[64];
	const uint lx = get_local_id(0);
	const uint j = get_global_id(0);
	const size_t i = get_global_id(1);
	float acc = 0.0f;
	for (uint t = 0; t < k; t += 64) {
		const uint length = min(k - t, 64u);
		for (uint p = lx; p < length; p += 16)
			strip[p] = kf_load(a, i * a_stride + t + p);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint p = 0; p < length && j < n; p++)
			acc = fma(strip[p],
			    kf_load(b, (size_t)(t + p) * b_stride + j), acc);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (j < n)
		kf_store(out, i * out_stride + j, acc);
}
