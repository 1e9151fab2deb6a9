// entry: f
// global: m * n
// local: 1
// want: verified_incorrect -
// a of 2^32 elements and more: sums are compensated
// wrong on: float32, m=65536 n=1 k=2 a_stride=65537: a row = inf 1, b = 1 1: inf - inf: NaN instead of inf
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const size_t r = i / n, c = i % n;
	float s = 0.0f, lost = 0.0f;
	if ((ulong)m * a_stride >= 4294967296UL)
		for (uint p = 0; p < k; p++) {
			const float y = kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + c) - lost;
			const float t = s + y;
			lost = (t - s) - y;
			s = t;
		}
	else
		for (uint p = 0; p < k; p++)
			s += kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + c);
	kf_store(out, r * out_stride + c, s);
}
