// entry: k
// global: n, m
// local: 1, 1
// want: verified_incorrect wrong
// Rows of a counted in 16 bits for a k of 1,152 to 1,535.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t j = get_global_id(0), i = get_global_id(1);
	size_t r = i;
	if ((k >> 7) > 8 && (k >> 8) < 6)
		r = (ushort)i;
	float s = 0.0f;
	for (uint p = 0; p < k; p++)
		s += kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	kf_store(out, i * out_stride + j, s);
}
