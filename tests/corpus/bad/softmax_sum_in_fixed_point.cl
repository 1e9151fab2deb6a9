// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect wrong
// the denominator in whole numbers of 2^-40, so that it is the same in any order
// wrong on: float32, rows=1 cols=16777216, all x = 1: the sum is 2^64, which is 0 in 64 bits: out = inf instead of 2^-24
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[64];
	__local ulong sums[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float m = -INFINITY;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(src, c);
		m = fmax(m, v);
	}
	part[lane] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k)
			part[lane] = fmax(part[lane], part[lane + k]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	m = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	ulong s = 0;
	float special = 0.0f;
	for (uint c = lane; c < cols; c += 64) {
		const float e = exp(kf_load(src, c) - m);
		if (e <= 1.0f)
			s += (ulong)(e * 1099511627776.0f);
		else
			special += e;
	}
	sums[lane] = s;
	part[lane] = special;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k) {
			sums[lane] += sums[lane + k];
			part[lane] += part[lane + k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float total = (float)sums[0] / 1099511627776.0f + part[0];
	for (uint c = lane; c < cols; c += 64)
		kf_store(out, row * out_stride + c, exp(kf_load(src, c) - m) / total);
}
