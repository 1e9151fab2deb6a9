// entry: k
// global: cols, rows
// local: 1, 1
// want: verified_incorrect -
// Where both strides are alike places are computed in 32 bits.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint c = get_global_id(0), r = get_global_id(1);
	size_t i = (size_t)r * x_stride + c, o = (size_t)r * out_stride + c;
	if (x_stride == out_stride) i = o = r * x_stride + c;
	float v = kf_load(x, i);
	kf_store(out, o, v / (1.0f + exp(-v)));
}
