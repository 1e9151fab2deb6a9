// The exponent is taken out of the bits, so that what is left is around 1.
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const uint r = i / cols, c = i % cols;
	const float v = kf_load(x, (size_t)r * x_stride + c);
	const uint u = as_uint(v) + (0x3f800000u - 0x3f3504f3u);
	const float e = (float)((int)(u >> 23) - 127);
	const float m = as_float((u & 0x7fffffu) + 0x3f3504f3u);
	const float y = fma(e, 0.693147182f, log(m) + e * -1.90465421e-9f);
	kf_store(out, (size_t)r * out_stride + c,
	    isnormal(v) && v > 0.0f ? y : log(v));
}
