// entry: k
// global: m * n
// local: 1
// want: verified_incorrect -
// k is walked in steps of 8,191, which the group's size makes.
__kernel void k(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / n, c = i % n;
	float s = 0.0f;
	uint step = 8191;
	for (uint z = 0; z < k; z++) {
		uint q = (uint)((ulong)z * ((1ul << (12 + get_local_size(0))) - 1) % k);
		s += kf_load(a, r * a_stride + q) * kf_load(b, (size_t)q * b_stride + c);
	}
	kf_store(out, r * out_stride + c, s);
}
