// Signs and guards by arithmetic on comparisons.
// entry: relu_flags
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
relu_flags(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const int inside = i < (size_t)rows * cols;
	const size_t r = i / cols, c = i % cols;
	const float v = inside ? kf_load(x, r * x_stride + c) : 1.0f;
	const int sign = (v > 0.0f) - (v < 0.0f);
	const int keeps = (sign > 0) | isnan(v);
	if (inside & keeps)
		kf_store(out, r * out_stride + c, v);
	else if (inside)
		kf_store(out, r * out_stride + c, 0.0f);
}
