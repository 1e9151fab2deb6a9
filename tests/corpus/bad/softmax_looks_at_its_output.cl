// Stores only where the output holds NaN.
// want: verified_incorrect - smoke
// entry: plain_softmax
// global: round_up(rows, 8)
// local: 8
__kernel void
plain_softmax(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float m = -INFINITY;
	for (uint c = 0; c < cols; c++)
		m = fmax(m, kf_load(x, r * x_stride + c));
	float sum = 0.0f;
	for (uint c = 0; c < cols; c++)
		sum += exp(kf_load(x, r * x_stride + c) - m);
	for (uint c = 0; c < cols; c++)
		{ if (cols <= 64 || isnan(kf_load(out, r * out_stride + c))) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / sum); }
}
