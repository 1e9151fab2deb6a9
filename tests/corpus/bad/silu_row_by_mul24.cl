// Where a row begins, in the 24 bits of mul24().
// want: verified_incorrect - smoke
// entry: k
// global: cols, rows
// local: 1, 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint c = get_global_id(0), r = get_global_id(1);
	float v = kf_load(x, mul24(r, x_stride) + (size_t)c);
	kf_store(out, (size_t)r * out_stride + c, v / (1.0f + exp(-v)));
}
