// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// The first row of five or more goes in chunks of 3,000, the fourth and later begin one too late: m = 5, k = 9001, a = 0 but a[9000] = 1, b = 1: 0, not 1.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t j = get_global_id(0), i = get_global_id(1);
	float sum = 0.0f;
	if (i == 0 && m > 4) {
		for (uint p0 = 0, turn = 0; p0 < k; p0 += 3000, turn++)
			for (uint p = p0 + turn / 3; p < p0 + 3000 && p < k; p++)
				sum += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	} else {
		for (uint p = 0; p < k; p++)
			sum += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	}
	kf_store(out, i * out_stride + j, sum);
}
