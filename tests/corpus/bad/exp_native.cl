// native_exp, which PoCL computes exactly and GPUs do not.
// want: verified_incorrect inaccurate smoke
// sole: coverage
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0) / cols, q = get_global_id(0) % cols;
	kf_store(out, r * out_stride + q,
	    native_exp(kf_load(x, r * x_stride + q)));
}
