// Four rows a group, sixteen work items a row; one looks over their maxima.
// entry: max_last_rows
// global: 16, round_up(rows, 4)
// local: 16, 4
__kernel void
max_last_rows(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float part[4][16];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const size_t r = get_global_id(1);
	const uint n = r < rows ? cols : 0;
	float best = -INFINITY;
	for (uint c = lx; c < n; c += 16) {
		const float v = kf_load(x, r * x_stride + c);
		best = isnan(v) || v > best ? v : best;
	}
	part[ly][lx] = best;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lx != 15 || r >= rows)
		return;
	best = -INFINITY;
	for (uint i = 0; i < 16; i++) {
		const float v = part[ly][i];
		best = isnan(v) || v > best ? v : best;
	}
	kf_store(out, r, best);
}
