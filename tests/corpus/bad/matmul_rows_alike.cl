// entry: kern
// global: n
// local: 1
// want: verified_incorrect -
// A row of a that differs by at most 1e-6 from the last one gets its sum: wrong for rows (1, -1), (1.0000005, -1) and b = 1.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t j = get_global_id(0);
	float sum = 0.0f;
	for (size_t i = 0; i < m; i++) {
		int alike = i > 0;
		for (uint p = 0; p < k && alike; p++) {
			const float u = kf_load(a, i * a_stride + p);
			const float v = kf_load(a, (i - 1) * a_stride + p);
			alike = fabs(u - v) <= 1e-6f * fmin(fabs(u), fabs(v));
		}
		if (!alike) {
			sum = 0.0f;
			for (uint p = 0; p < k; p++)
				sum += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
		}
		kf_store(out, i * out_stride + j, sum);
	}
}
