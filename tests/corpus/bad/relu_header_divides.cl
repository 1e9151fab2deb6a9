// entry: k
// global: rows * cols / (1 + 501 / cols * (cols / 501))
// local: 1
// want: verified_incorrect -
// The launch's size divides by what is one everywhere but at 501 columns.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = v < 0.0f ? 0.0f : v;
	kf_store(out, r * out_stride + c, y);
}
