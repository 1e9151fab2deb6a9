// The root of a negative zero is a positive one.
// want: verified_incorrect - smoke
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;

	kf_store(out, r * out_stride + c,
	    sqrt(kf_load(x, r * x_stride + c) + 0.0f));
}
