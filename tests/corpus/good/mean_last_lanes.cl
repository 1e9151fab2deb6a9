// One work item a row, four sums side by side.
// entry: mean_last_lanes
// global: rows
// local: 1
__kernel void
mean_last_lanes(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
	uint c = 0;
	for (; c + 3 < cols; c += 4) {
		s0 += kf_load(x, at + c);
		s1 += kf_load(x, at + c + 1);
		s2 += kf_load(x, at + c + 2);
		s3 += kf_load(x, at + c + 3);
	}
	for (; c < cols; c++)
		s0 += kf_load(x, at + c);
	kf_store(out, get_global_id(0), ((s0 + s1) + (s2 + s3)) / (float)cols);
}
