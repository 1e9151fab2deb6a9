// entry: sum_last
// global: rows * 64
// local: 64
//
// The upper half of the rows is summed in another order: every answer is good,
// but a row depends on where it lies.

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t row = get_group_id(0);
	float sum = 0.0f;

	if (2 * row < rows)
		for (uint c = lid; c < cols; c += 64)
			sum += kf_load(x, row * x_stride + (cols - 1 - c));
	else
		for (uint c = lid; c < cols; c += 64)
			sum += kf_load(x, row * x_stride + c);
	part[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		kf_store(out, row, part[0]);
}
