// The sum of two negative zeros is a positive one.
// want: verified_incorrect - smoke
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float sum = 0.0f + kf_load(a, r * a_stride + c);

	kf_store(out, r * out_stride + c, sum + kf_load(b, r * b_stride + c));
}
