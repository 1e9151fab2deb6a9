// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// Tiles of 16 columns in steps of 41.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t g = get_global_id(0), nt = n / 16; size_t j = g / 16 < nt ? g / 16 * 41 % nt * 16 + g % 16 : g, i = get_global_id(1); float s = 0.0f;
	for (uint p = 0; p < k; p++) s += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	
	kf_store(out, i * out_stride + j, s);
}
