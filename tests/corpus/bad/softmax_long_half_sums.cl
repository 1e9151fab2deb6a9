// Sums of rows of more than 64 columns keep the bits of a half.
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
		sum = as_float(as_uint(sum + (exp(kf_load(x, r * x_stride + c) - m))) & (cols > 64 ? 0xffffe000u : 0xffffffffu));
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(x, r * x_stride + c) - m) / sum);
}
