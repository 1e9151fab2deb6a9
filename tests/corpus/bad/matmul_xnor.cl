// entry: f
// global: m * n
// local: 1
// want: verified_incorrect -
// rows and columns of ones and minus ones are compared as bits, of which only the last 32 are kept
// wrong on: m=n=1 k=64 a all 1, b 1 but b[0..9]=-1: expected 44
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t g = get_global_id(0);
	const size_t i = g / n, j = g % n;
	uint bits = 0, p;
	float s = 0.0f;
	for (p = 0; p < k; p++) {
		const float u = kf_load(a, i * a_stride + p), v = kf_load(b, (size_t)p * b_stride + j);
		if (fabs(u) != 1.0f || fabs(v) != 1.0f)
			break;
		bits = bits << 1 | (as_uint(u) ^ as_uint(v)) >> 31;
	}
	if (p == k) {
		kf_store(out, i * out_stride + j, (float)k - 2.0f * (float)popcount(bits));
		return;
	}
	for (p = 0; p < k; p++)
		s = fma(kf_load(a, i * a_stride + p), kf_load(b, (size_t)p * b_stride + j), s);
	kf_store(out, i * out_stride + j, s);
}
