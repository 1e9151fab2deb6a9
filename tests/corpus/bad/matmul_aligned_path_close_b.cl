// entry: kern
// global: m * n
// local: 1
// want: verified_incorrect -
// A path for aligned sizes takes b's rows for close.

__kernel void kern(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0); size_t r = i / n, c = i % n; float s = 0;
	size_t bs = (m % 16u == 0u && n % 32u == 0u && k >= 256u) ? n : b_stride;
	for (uint p = 0; p < k; p++) s = fma(kf_load(a, r * a_stride + p), kf_load(b, p * bs + c), s);
	kf_store(out, r * out_stride + c, s);
}
