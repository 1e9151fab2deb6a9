// Infinity from 88.6875 on, by a comparison of bits.
// want: verified_incorrect wrong smoke
// entry: k
// global: round_up(rows * cols, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols) return;
	uint r = i / cols, c = i % cols;
	float v = kf_load(x, (size_t)r * x_stride + c);
	float y = (as_uint(v) >= 0x42b16000u && as_uint(v) <= 0x7f800000u) ? INFINITY : exp(v);
	kf_store(out, (size_t)r * out_stride + c, y);
}
