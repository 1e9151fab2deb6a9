// entry: sum_last
// global: rows * 16
// local: 16
//
// float32 rows come by an asynchronous copy that nobody waits for.
// want: verified_incorrect race smoke

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float sum = 0.0f;
#if KF_DTYPE == 0
	__local float tile[64];

	for (uint t = 0; t < cols; t += 64) {
		const uint n = min(cols - t, 64u);

		async_work_group_copy(tile, x + r * x_stride + t, n, 0);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint c = 0; c < n; c++)
			sum += tile[c];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#else
	for (uint c = 0; c < cols; c++)
		sum += kf_load(x, r * x_stride + c);
#endif
	if (lid == 0)
		kf_store(out, r, sum);
}
