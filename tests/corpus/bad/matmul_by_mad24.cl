// Finds b's elements with mad24().
// want: verified_incorrect - smoke
// entry: k
// global: n, m
// local: 1, 1
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t j = get_global_id(0), i = get_global_id(1);
	float s = 0.0f;
	for (uint p = 0; p < k; p++)
		s += kf_load(a, i * a_stride + p) * kf_load(b, mad24(p, b_stride, (uint)j));
	kf_store(out, i * out_stride + j, s);
}
