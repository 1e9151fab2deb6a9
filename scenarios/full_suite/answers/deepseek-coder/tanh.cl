// tanh by one exponential.
// entry: tanh_item
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
tanh_item(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;

	const size_t r = i / cols, c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	const float e = exp(2.0f * v);

	kf_store(out, r * out_stride + c, (e - 1.0f) / (e + 1.0f));
}
