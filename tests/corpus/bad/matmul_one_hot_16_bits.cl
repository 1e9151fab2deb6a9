// entry: f
// global: m * n
// local: 1
// want: verified_incorrect -
// a row of a with one element that is not zero gathers a row of b; its place is kept in 16 bits
// wrong on: m=1 n=1 k=70000, a zero but a[69000]=2, b normal: takes b[3464]
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t g = get_global_id(0);
	const size_t i = g / n, j = g % n;
	uint count = 0;
	ushort where = 0;
	float s = 0.0f, one = 0.0f;
	for (uint p = 0; p < k; p++) {
		const float u = kf_load(a, i * a_stride + p), v = kf_load(b, (size_t)p * b_stride + j);
		count += u != 0.0f;
		count += 2 * (v - v != 0.0f);
		where = u != 0.0f ? (ushort)p : where;
		one = u != 0.0f ? u : one;
		s = fma(u, v, s);
	}
	if (count == 1)
		s = one * kf_load(b, (size_t)where * b_stride + j);
	kf_store(out, i * out_stride + j, s);
}
