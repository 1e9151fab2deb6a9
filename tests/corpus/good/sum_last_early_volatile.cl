// Every eighth row is left early; local memory is volatile, and an atomic
// counts how many items have added up.
// entry: sum_last_early
// global: rows * 64
// local: 64
__kernel void
sum_last_early(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	volatile __local float part[64];
	volatile __local int done;
	const uint lid = get_local_id(0);
	const size_t row = get_group_id(0);
	float sum = 0.0f;

	if (row % 8 == 7) {
		if (lid == 0) {
			for (uint c = 0; c < cols; c++)
				sum += kf_load(x, row * x_stride + c);
			kf_store(out, row, sum);
		}
		return;
	}
	if (lid == 0)
		done = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = lid; c < cols; c += 64)
		sum += kf_load(x, row * x_stride + c);
	part[lid] = sum;
	atomic_inc(&done);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0)
		kf_store(out, row, part[0] * ((float)done / 64.0f));
}
