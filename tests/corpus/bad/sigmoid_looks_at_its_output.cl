// Stores only where the output holds NaN.
// want: verified_incorrect - smoke
// entry: plain_sigmoid
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
plain_sigmoid(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols)
		return;
	size_t r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	{ if (cols <= 64 || isnan(kf_load(out, r * out_stride + c))) kf_store(out, r * out_stride + c, 1.0f / (1.0f + exp(-v))); }
}
