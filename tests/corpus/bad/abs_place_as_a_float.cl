// Counts elements in a float, which has no odd numbers above 2^24.
// want: verified_incorrect - smoke
// entry: k
// global: round_up(rows * cols, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = (size_t)(float)get_global_id(0);
	size_t r = i / cols, c = i % cols;
	if (r < rows)
		kf_store(out, r * out_stride + c, fabs(kf_load(x, r * x_stride + c)));
}
