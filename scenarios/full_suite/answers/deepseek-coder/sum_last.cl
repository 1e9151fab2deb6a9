// A work group a row, a tree in local memory.
// entry: sum_last_group
// global: rows * 64
// local: 64
__kernel void
sum_last_group(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t row = get_group_id(0);
	float acc = 0.0f;
	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, row * x_stride + c);
		acc += v;
	}
	part[lid] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0) {
		acc = part[0];
		kf_store(out, row, acc);
	}
}
