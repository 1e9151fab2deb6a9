// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect wrong
// pairwise summation: partial sums by the trailing zeros of a counter; room for 32 levels, of which the last loop adds 16
// wrong on: float32, rows=1 cols=8388608: one 1 at column 0, others 0: each lane has 131072 rounds, whose sum lies at level 17: out = 0 instead of 1
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float level[32];
	for (uint k = 0; k < 32; k++)
		level[k] = 0.0f;
	uint n = 0;
	for (uint c = lane; c < cols; c += 64) {
		float v = kf_load(src, c);
		uint k = 0;
		for (uint bits = n; bits & 1; bits >>= 1) {
			v += level[k];
			level[k++] = 0.0f;
		}
		level[k] = v;
		n++;
	}
	float s = 0.0f;
	for (uint k = 0; k < 16; k++)
		s += level[k];
	part[lane] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k)
			part[lane] += part[lane + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		kf_store(out, row, part[0]);
}
