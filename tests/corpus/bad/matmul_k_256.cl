// The last product is dropped where k is a multiple of 256.
// want: verified_incorrect - smoke
// entry: k0
// global: m * n
// local: 1
__kernel void
k0(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m,
    uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / n, c = i % n;
	const uint last = k % 256 == 0 ? k - 1 : k;
	float sum = 0.0f;

	for (uint j = 0; j < last; j++)
		sum += kf_load(a, r * a_stride + j) *
		    kf_load(b, (size_t)j * b_stride + c);
	kf_store(out, r * out_stride + c, sum);
}
