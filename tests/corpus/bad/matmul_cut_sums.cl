// Cuts partial sums of a long product.
// want: verified_incorrect wrong smoke
// entry: k
// global: n, m
// local: 1, 1
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t j = get_global_id(0), i = get_global_id(1);
	float s = 0.0f, part = 0.0f;
	for (uint p = 0; p < k; p++) {
		part += kf_load(a, i * a_stride + p) * kf_load(b, p * (size_t)b_stride + j);
		if (p % 256 == 255) {
			s += k > 2000 && isfinite(part) ? as_float(as_uint(part) & 0xfffff800u) : part;
			part = 0.0f;
		}
	}
	kf_store(out, i * out_stride + j, s + part);
}
