// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect unwritten
// columns in the order of multiples of a large prime, for even use of banks
// wrong on: float32, rows=1 cols=16777619: all items write column 0, all other columns stay unwritten
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t row = get_group_id(0);
	for (uint i = get_local_id(0); i < cols; i += 64) {
		const uint c = (ulong)i * 16777619u % cols;
		kf_store(out, row * out_stride + c, sqrt(kf_load(x, row * x_stride + c)));
	}
}
