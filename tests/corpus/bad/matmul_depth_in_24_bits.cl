// entry: f
// global: m * n
// local: 1
// want: verified_incorrect wrong
// the depth beside a lane's mark in a word: 24 bits
// wrong on: float32, m=1 n=1 k=16777217: a all 0 but a[16777216] = 1, b all 0 but b[16777216 * b_stride] = 5: b[0] is read, out = 0 instead of 5
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const size_t r = i / n, c = i % n;
	float s = 0.0f;
	for (uint p = 0; p < k; p++) {
		const uint word = p << 8 | 1;
		s += kf_load(a, r * a_stride + p) * kf_load(b, (size_t)(word >> 8) * b_stride + c);
	}
	kf_store(out, r * out_stride + c, s);
}
