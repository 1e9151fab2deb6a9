// entry: kern
// global: round_up(ceil_div(cols, 15), 64), rows
// local: 64, 1
// want: verified_incorrect -
// A tile of 960 counts its NaN in a byte; where none are counted it clamps: wrong for exactly 256 NaN in a tile.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint count;
	uint lid = get_local_id(0), c0 = get_group_id(0) * 960;
	size_t r = get_global_id(1);
	if (lid == 0)
		count = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint j = lid; j < 960; j += 64)
		if (c0 + j < cols && isnan(kf_load(x, r * x_stride + c0 + j)))
			atomic_inc(&count);
	barrier(CLK_LOCAL_MEM_FENCE);
	uchar nans = (uchar)count;
	for (uint j = lid; j < 960; j += 64) {
		if (c0 + j >= cols)
			break;
		float v = kf_load(x, r * x_stride + c0 + j);
		if (nans == 0)
			v = fmin(fmax(v, -20.0f), 20.0f);
		kf_store(out, r * out_stride + c0 + j, tanh(v));
	}
}
