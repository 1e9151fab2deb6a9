// Columns by rows.
// entry: gelu_2d
// global: round_up(cols, 16), round_up(rows, 4)
// local: 16, 4
__kernel void
gelu_2d(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint c = get_global_id(0);
	const uint r = get_global_id(1);
	if (c >= cols || r >= rows)
		return;
	const float v = kf_load(x, (size_t)r * x_stride + c);
	kf_store(out, (size_t)r * out_stride + c,
	    0.5f * v * (1.0f + erf(v * 0.70710678f)));
}
