// One work item a row; sixteen rows come into local memory together, 64
// columns at a time, so that neighbours read neighbours.
// entry: max_last_tile
// global: round_up(rows, 16)
// local: 16
__kernel void
max_last_tile(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float tile[16][65];
	const uint lid = get_local_id(0);
	const size_t first = get_group_id(0) * (size_t)16;
	const uint nrows = min((uint)(rows - first), 16u);
	float best = -INFINITY;
	for (uint base = 0; base < cols; base += 64) {
		const uint n = min(cols - base, 64u);
		for (uint r = 0; r < nrows; r++)
			for (uint c = lid; c < n; c += 16)
				tile[r][c] = kf_load(x,
				    (first + r) * x_stride + base + c);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint c = 0; c < n && lid < nrows; c++) {
			const float v = tile[lid][c];
			best = v != v || v > best ? v : best;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid < nrows)
		kf_store(out, first + lid, best);
}
