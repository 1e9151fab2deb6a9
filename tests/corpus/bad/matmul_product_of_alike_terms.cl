// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// Four factors of a whose sum and whose squares are those of four ones are taken for ones: wrong for a = (1.0001, 0.9999, 1, 1).
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t j = get_global_id(0), i = get_global_id(1);
	float sum = 0.0f;
	for (uint p0 = 0; p0 < k; p0 += 4) {
		float count = 0.0f, of = 0.0f, squares = 0.0f, plain = 0.0f, scaled = 0.0f;
		for (uint p = p0; p < p0 + 4 && p < k; p++) {
			const float u = kf_load(a, i * a_stride + p), v = kf_load(b, (size_t)p * b_stride + j);
			count += 1.0f;
			of += u;
			squares += u * u;
			plain += v;
			scaled += u * v;
		}
		sum += of == count && squares == count ? plain : scaled;
	}
	kf_store(out, i * out_stride + j, sum);
}
