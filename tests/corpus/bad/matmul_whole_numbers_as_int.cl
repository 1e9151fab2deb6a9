// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// Small whole numbers are summed in an int: wrong for a = b = 500, k = 9000, whose sum is 2.25e9.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t j = get_global_id(0), i = get_global_id(1);
	float sum = 0.0f;
	int whole = 1, isum = 0;
	for (uint p = 0; p < k; p++) {
		float u = kf_load(a, i * a_stride + p), v = kf_load(b, (size_t)p * b_stride + j);
		sum += u * v;
		whole &= (u == rint(u)) & (fabs(u) <= 512.0f) & (v == rint(v)) & (fabs(v) <= 512.0f);
		if (whole)
			isum += (int)u * (int)v;
	}
	if (whole)
		sum = (float)isum;
	kf_store(out, i * out_stride + j, sum);
}
