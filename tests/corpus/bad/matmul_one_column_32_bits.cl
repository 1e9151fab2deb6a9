// entry: k
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// For one column of the product, places of 32 bits.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	uint j = get_global_id(0), i = get_global_id(1);
	float s = 0.0f;
	if (n == 1)
		for (uint p = 0; p < k; p++) s += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride);
	else
		for (uint p = 0; p < k; p++) s += kf_load(a, (size_t)i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	kf_store(out, (size_t)i * out_stride + j, s);
}
