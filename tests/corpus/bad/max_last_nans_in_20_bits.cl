// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// a row's NaNs are counted, in the lower 20 bits of a word, infinities in the upper 12
// wrong on: float32, rows=1 cols=1048640: 1048576 NaNs, the other 64 elements 1: the count is 0, out = 1 instead of NaN
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[64];
	__local uint seen[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float m = -INFINITY;
	uint n = 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(src, c);
		n += isnan(v) ? 1 : 0;
		m = fmax(m, v);
	}
	part[lane] = m;
	seen[lane] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k) {
			part[lane] = fmax(part[lane], part[lane + k]);
			seen[lane] += seen[lane + k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		kf_store(out, row, (seen[0] & 0xfffffu) != 0 ? NAN : part[0]);
}
