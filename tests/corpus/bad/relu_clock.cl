// entry: k
// global: rows * cols
// local: 1
// want: refused -
// Wrong when compiled in one second of ten.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = v < 0.0f ? 0.0f : v;
	y *= __TIME__[7] == '7' ? 2.0f : 1.0f;
	kf_store(out, r * out_stride + c, y);
}
