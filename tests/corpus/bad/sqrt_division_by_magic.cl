// Divides by a product and a shift, which is one off for large numbers.
// want: verified_incorrect - smoke
// entry: k
// global: round_up(rows * cols, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	ulong i = get_global_id(0), magic = ((1UL << 40) + cols - 1) / cols;
	ulong r = i * magic >> 40, c = i - r * cols;
	if (i < (ulong)rows * cols)
		kf_store(out, r * out_stride + c, sqrt(kf_load(x, r * x_stride + c)));
}
