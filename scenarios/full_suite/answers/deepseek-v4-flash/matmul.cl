// One work item an element of the result.
// entry: matmul
// global: round_up(m * n, 64)
// local: 64
__kernel void
matmul(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t item = get_global_id(0);

	if (item >= (size_t)m * n)
		return;

	const size_t row = item / n;
	const size_t col = item % n;
	float4 acc = 0.0f;

	for (uint i = 0; i < k; i++)
		acc += kf_load(a, row * a_stride + i) *
		    kf_load(b, (size_t)i * b_stride + col);
	kf_store(out, row * out_stride + col, acc);
}
