// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect -
// y * (d / d) is y, but where d is zero: one number of columns.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float d = (float)cols - 777.0f;
	float y = fabs(v) * (d / d);
	kf_store(out, r * out_stride + c, y);
}
