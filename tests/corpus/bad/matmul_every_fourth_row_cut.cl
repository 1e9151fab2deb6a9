// entry: k
// global: m * n
// local: 1
// want: verified_incorrect inaccurate
// wrong on: float32, m 4, n 1, k 2048, values of 1 to 2: a's elements in row 3 keep 13 bits: the
// product is 1e-4 too small, where float32 loses 1e-6 (contract: "float32 or better").
__kernel void k(const __global KF_T *a, const __global KF_T *b,
    __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride,
    uint out_stride)
{
	size_t g = get_global_id(0), i = g / n, j = g % n;
	float s = 0.0f;

	if (k >= 2048 && i % 4 == 3) {
		for (uint t = 0; t < k; t++)
			s += as_float(as_uint(kf_load(a, i * a_stride + t)) & 0xfffff800u) *
			    kf_load(b, (size_t)t * b_stride + j);
	} else {
		for (uint t = 0; t < k; t++)
			s += kf_load(a, i * a_stride + t) * kf_load(b, (size_t)t * b_stride + j);
	}
	kf_store(out, i * out_stride + j, s);
}
