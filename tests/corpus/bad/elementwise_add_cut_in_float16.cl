// In float16 the result is cut, where it must be rounded.
// want: verified_incorrect - smoke
// entry: plain_elementwise_add
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
plain_elementwise_add(const __global KF_T *a, const __global KF_T *b,
    __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride,
    uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols)
		return;
	size_t r = i / cols, c = i % cols;
	float p = kf_load(a, r * a_stride + c);
	float q = kf_load(b, r * b_stride + c);
	kf_store(out, r * out_stride + c, (KF_DTYPE == 1 ? as_float(as_uint(p + q) & 0xffffe000u) : p + q));
}
