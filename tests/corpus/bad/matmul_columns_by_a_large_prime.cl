// entry: f
// global: n, m
// local: 1, 1
// want: verified_incorrect unwritten
// columns of out in the order of multiples of a large prime
// wrong on: float32, m=1 n=16777619 k=1: all items write column 0
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t r = get_global_id(1);
	const uint c = (ulong)get_global_id(0) * 16777619u % n;
	float s = 0.0f;
	for (uint p = 0; p < k; p++)
		s += kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + c);
	kf_store(out, r * out_stride + c, s);
}
