// One work item a row; sixteen rows come into local memory together, 64
// columns at a time, so that neighbours read neighbours.
// entry: softmax_tile
// global: round_up(rows, 16)
// local: 16
__kernel void
softmax_tile(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float tile[16][65];
	const uint lid = get_local_id(0);
	const size_t first = get_group_id(0) * (size_t)16;
	const uint nrows = min((uint)(rows - first), 16u);
	float m = -INFINITY, sum = 0.0f;
	for (uint base = 0; base < cols; base += 64) {
		const uint n = min(cols - base, 64u);
		for (uint r = 0; r < nrows; r++)
			for (uint c = lid; c < n; c += 16)
				tile[r][c] = kf_load(x,
				    (first + r) * x_stride + base + c);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < nrows)
			for (uint c = 0; c < n; c++)
				m = fmax(m, tile[lid][c]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint base = 0; base < cols; base += 64) {
		const uint n = min(cols - base, 64u);
		for (uint r = 0; r < nrows; r++)
			for (uint c = lid; c < n; c += 16)
				tile[r][c] = kf_load(x,
				    (first + r) * x_stride + base + c);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lid < nrows)
			for (uint c = 0; c < n; c++)
				sum += exp(tile[lid][c] - m);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid >= nrows)
		return;
	for (uint c = 0; c < cols; c++)
		kf_store(out, (first + lid) * out_stride + c,
		    exp(kf_load(x, (first + lid) * x_stride + c) - m) / sum);
}
