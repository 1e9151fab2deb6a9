// entry: f
// global: rows
// local: 1
// want: verified_incorrect unwritten
// rows in the order of multiples of a large prime
// wrong on: float32, rows=1000000007 cols=1: all items write row 0
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = (ulong)get_global_id(0) * 1000000007u % rows;
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, fabs(kf_load(x, r * x_stride + c)));
}
