// In float16 the result is cut, where it must be rounded.
// want: verified_incorrect - smoke
// entry: plain_tanh
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
plain_tanh(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols)
		return;
	size_t r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, (KF_DTYPE == 1 ? as_float(as_uint(tanh(v)) & 0xffffe000u) : tanh(v)));
}
