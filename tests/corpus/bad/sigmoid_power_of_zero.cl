// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect -
// pow(0, d) is one for d = 0 alone.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = 1.0f / (1.0f + exp(-v));
	y += y * pow(0.0f, fabs((float)cols - 500.0f));
	kf_store(out, r * out_stride + c, y);
}
