// Knows NaNs by their quiet bit: a signalling one becomes zero.
// want: verified_incorrect wrong smoke
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	const bool is_nan = (as_uint(v) & 0x7fffffffu) >= 0x7fc00000u;

	kf_store(out, r * out_stride + c, is_nan || v > 0.0f ? v : 0.0f);
}
