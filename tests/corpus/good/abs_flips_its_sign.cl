// The sign's bit is taken out, and flipped back.
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const uint r = i / cols, c = i % cols;
	const float negative =
	    as_float(as_uint(kf_load(x, (size_t)r * x_stride + c)) ^ 0x80000000u);
	const uint sign = as_uint(negative) & 0x80000000u;
	kf_store(out, (size_t)r * out_stride + c,
	    as_float(as_uint(negative) ^ sign));
}
