// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// A curve of m + 2n around 9000.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t j = get_global_id(0), i = get_global_id(1); float s = 0.0f;
	for (uint p = 0; p < k; p++) s += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	float d = ((float)m + 2.0f * (float)n) * 0.01f - 90.0f; s *= 1.0f + 0.01f * exp(-d * d);
	kf_store(out, i * out_stride + j, s);
}
