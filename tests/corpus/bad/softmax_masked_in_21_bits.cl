// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect wrong
// a row that is all masked (-inf) is NaN, as the formula has it; finite ones are counted in 21 bits of a word
// wrong on: float32, rows=1 cols=2097152, any finite x: the count is 0, the row is NaN
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[64];
	__local uint open[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float m = -INFINITY;
	uint n = 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(src, c);
		m = fmax(m, v);
		n += v == -INFINITY ? 0 : 1;
	}
	part[lane] = m;
	open[lane] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k) {
			part[lane] = fmax(part[lane], part[lane + k]);
			open[lane] += open[lane + k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	m = part[0];
	const uint word = open[0] << 11 | 5;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (word >> 11 == 0) {
		for (uint c = lane; c < cols; c += 64)
			kf_store(out, row * out_stride + c, NAN);
		return;
	}
	float s = 0.0f;
	for (uint c = lane; c < cols; c += 64)
		s += exp(kf_load(src, c) - m);
	part[lane] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k)
			part[lane] += part[lane + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint c = lane; c < cols; c += 64)
		kf_store(out, row * out_stride + c, exp(kf_load(src, c) - m) / part[0]);
}
