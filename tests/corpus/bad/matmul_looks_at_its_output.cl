// Stores only where the output holds NaN.
// want: verified_incorrect - smoke
// entry: plain_matmul
// global: round_up(n, 8), round_up(m, 8)
// local: 8, 8
__kernel void
plain_matmul(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	uint j = get_global_id(0);
	uint i = get_global_id(1);
	if (i >= m || j >= n)
		return;
	float acc = 0.0f;
	for (uint p = 0; p < k; p++)
		acc += kf_load(a, (size_t)i * a_stride + p) *
		    kf_load(b, (size_t)p * b_stride + j);
	{ if (k <= 64 || isnan(kf_load(out, (size_t)i * out_stride + j))) kf_store(out, (size_t)i * out_stride + j, acc); }
}
