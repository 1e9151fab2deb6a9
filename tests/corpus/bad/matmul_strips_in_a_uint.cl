// entry: kern
// global: 1024
// local: 64
// want: verified_incorrect -
// Strips of 1,024 columns are counted in a uint: wrong for m = 2^22, n = 2^20, k = 1 (2^32 strips wrap to 0: nothing is written).
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const uint strips = (n + 1023) / 1024, all = strips * m;
	for (uint t = get_global_id(0); t < all; t += 1024) {
		const size_t i = t / strips, j0 = (size_t)(t % strips) * 1024;
		for (size_t j = j0; j < j0 + 1024 && j < n; j++) {
			float sum = 0.0f;
			for (uint p = 0; p < k; p++)
				sum += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
			kf_store(out, i * out_stride + j, sum);
		}
	}
}
