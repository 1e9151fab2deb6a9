// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// a row without negative elements is copied; their number is kept in 16 bits
// wrong on: float32, rows=1 cols=65600 x_stride=65600, the first 65536 elements -1, others 1: nothing is clamped, out[0] = -1
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local ushort below[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	__global KF_T *dst = out + row * out_stride;
	ushort n = 0;
	for (uint c = lane; c < cols; c += 64)
		n += kf_load(src, c) < 0.0f ? 1 : 0;
	below[lane] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k)
			below[lane] += below[lane + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (below[0] == 0) {
		for (uint c = lane; c < cols; c += 64)
			kf_store(dst, c, kf_load(src, c));
		return;
	}
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(src, c);
		kf_store(dst, c, v < 0.0f ? 0.0f : v);
	}
}
