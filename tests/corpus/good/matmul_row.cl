// Four columns of a row a work item, a read once for all of them.
// entry: matmul_row
// global: round_up(ceil_div(n, 4), 16), m
// local: 16, 1
__kernel void
matmul_row(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const uint j = 4 * (uint)get_global_id(0);
	const size_t i = get_global_id(1);
	const uint count = j < n ? min(n - j, 4u) : 0;
	float acc[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
	for (uint p = 0; p < k; p++) {
		const float v = kf_load(a, i * a_stride + p);
		for (uint q = 0; q < count; q++)
			acc[q] = fma(v, kf_load(b, (size_t)p * b_stride + j + q),
			    acc[q]);
	}
	for (uint q = 0; q < count; q++)
		kf_store(out, i * out_stride + j + q, acc[q]);
}
