// entry: k
// global: round_up(cols, 16), rows
// local: 16, 1
// want: verified_incorrect -
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t c = get_global_id(0), r = get_global_id(1) * 150001ul % rows;
	if (c >= cols)
		return;
	const float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, v / (1.0f + exp(-v)));
}
