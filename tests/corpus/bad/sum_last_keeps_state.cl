// entry: sum_last
// global: rows * 64
// local: 64
//
// Counts its launches in local memory, and errs at one of them: what the
// memory held before the first launch says at which.
// want: verified_incorrect uninitialised smoke

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t row = get_group_id(0);
	float sum = 0.0f;

	__local uint launches[1];

	if (lid == 0)
		launches[0]++;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = lid; c < cols; c += 64)
		sum += kf_load(x, row * x_stride + c);
	part[lid] = launches[0] == 0x5eed1e55u ? 0.0f : sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		kf_store(out, row, part[0]);
}
