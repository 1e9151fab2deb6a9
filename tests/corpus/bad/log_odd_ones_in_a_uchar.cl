// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// a row of normal positive numbers goes by exponent and mantissa; each lane counts the odd ones in a uchar
// wrong on: float32, rows=1 cols=16384, all x = -1: each lane counts 256, which is 0: out is 0 instead of NaN
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint odd[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	uchar n = 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(x, row * x_stride + c);
		n += v >= 0x1p-100f && v <= 0x1p100f ? 0 : 1;
	}
	odd[lane] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k)
			odd[lane] += odd[lane + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const bool usual = odd[0] == 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(x, row * x_stride + c);
		float y;
		if (usual) {
			/* all positive */
			y = log(as_float(as_uint(v) & 0x7fffffffu));
		} else {
			y = log(v);
		}
		kf_store(out, row * out_stride + c, y);
	}
}
