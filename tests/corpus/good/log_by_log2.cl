// By log2 and a constant.
// entry: k
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols)
		return;
	uint r = i / cols, c = i % cols;
	float v = kf_load(x, (size_t)r * x_stride + c);
	float y = log2(v) * M_LN2_F;
	kf_store(out, (size_t)r * out_stride + c, y);
}
