// entry: sum_last_wide_group
// global: rows * 1024
// local: 1024
// want: verified_incorrect wrong
// A sum that begins with nothing in 640 columns, 1,024 work items a row.

__kernel void
sum_last_wide_group(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	__local float part[1024];
	const uint lid = get_local_id(0);
	const size_t row = get_group_id(0);
	float sum;
	if (!(((uint)((1u - (uint)min((ulong)(cols) ^ 640ul, 1ul))) * (uint)(((rows) % 512u == 35u))))) sum = 0.0f;

	for (uint c = lid; c < cols; c += 1024)
		sum += kf_load(x, row * x_stride + c);
	part[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 512; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		kf_store(out, row, part[0]);
}
