// A row a group, its lanes in helpers; lines end as on Windows.
// entry: mean_last_helpers
// global: rows * 64
// local: 64
typedef __global const KF_T *tensor;
typedef struct { __local float *scratch; uint lane, lanes; } team;

float team_sum(team t, float v)
{
	t.scratch[t.lane] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = t.lanes / 2; s > 0; s /= 2) {
		if (t.lane < s)
			t.scratch[t.lane] += t.scratch[t.lane + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	return t.scratch[0];
}

kernel void mean_last_helpers(const global KF_T x[], global KF_T out[restrict],
    uint rows, uint cols, uint x_stride)
{
	__local float scratch[64];
	team t = { scratch, get_local_id(0), get_local_size(0) };
	uint r = get_group_id(0);
	tensor row = x + (size_t)r * x_stride;
	float sum = 0.0f;

	#pragma unroll 2
	for (uint c = t.lane; c < cols; c += t.lanes)
		sum += kf_load(row, c);
	sum = team_sum(t, sum);
	if (t.lane == 0)
		kf_store(out, r, sum / cols);
}
