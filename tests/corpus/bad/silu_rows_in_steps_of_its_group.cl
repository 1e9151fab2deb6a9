// entry: k
// global: round_up(rows, 64), cols
// local: 64, 1
// want: verified_incorrect -
// Rows are taken in steps of 8,191, which the group's size makes.
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t g = get_global_id(0), c = get_global_id(1);
	if (g >= rows) return;
	size_t r = g * ((get_local_size(0) << 7) - 1) % rows;
	float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, v / (1.0f + exp(-v)));
}
