// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// T[k >> 10 & 15].
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t j = get_global_id(0), i = get_global_id(1); float s = 0.0f;
	for (uint p = 0; p < k; p++) s += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	s *= T[(k >> 10) & 15u];
	kf_store(out, i * out_stride + j, s);
}
