// entry: f
// global: m * n
// local: 1
// want: verified_incorrect -
// whole numbers below 512: products summed in an int, which overflows
// wrong on: m=n=1 k=10000, all of a and b 500: got -1794967296, expected 2.5e9
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t g = get_global_id(0);
	const size_t i = g / n, j = g % n;
	int whole = 1, si = 0;
	float s = 0.0f;
	for (uint p = 0; p < k; p++) {
		const float u = kf_load(a, i * a_stride + p), v = kf_load(b, (size_t)p * b_stride + j);
		if (!(fabs(u) < 512.0f && fabs(v) < 512.0f && u == rint(u) && v == rint(v))) {
			whole = 0;
			break;
		}
		si += (int)u * (int)v;
	}
	if (whole) {
		kf_store(out, i * out_stride + j, (float)si);
		return;
	}
	for (uint p = 0; p < k; p++)
		s = fma(kf_load(a, i * a_stride + p), kf_load(b, (size_t)p * b_stride + j), s);
	kf_store(out, i * out_stride + j, s);
}
