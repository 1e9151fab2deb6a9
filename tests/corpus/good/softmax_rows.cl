// Four rows a group, sixteen work items a row, a tree for each row.
// entry: softmax_rows
// global: 16, round_up(rows, 4)
// local: 16, 4
__kernel void
softmax_rows(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float peak[4][16], part[4][16];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const size_t r = get_global_id(1);
	const uint n = r < rows ? cols : 0;
	float best = -INFINITY;
	for (uint c = lx; c < n; c += 16)
		best = fmax(best, kf_load(x, r * x_stride + c));
	peak[ly][lx] = best;
	for (uint s = 8; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lx < s)
			peak[ly][lx] = fmax(peak[ly][lx], peak[ly][lx + s]);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const float m = peak[ly][0];
	float sum = 0.0f;
	for (uint c = lx; c < n; c += 16)
		sum += exp(kf_load(x, r * x_stride + c) - m);
	part[ly][lx] = sum;
	for (uint s = 8; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lx < s)
			part[ly][lx] += part[ly][lx + s];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = lx; c < n; c += 16)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(x, r * x_stride + c) - m) / part[ly][0]);
}
