// entry: sum_last
// global: min(rows, 20) * 64
// local: 64
//
// At most twenty groups walk over all rows; nothing keeps a lane from filling the
// scratch of the next row before all have read that of this one.
// want: verified_incorrect race smoke

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);

	for (size_t r = get_group_id(0); r < rows; r += get_num_groups(0)) {
		float sum = 0.0f;

		for (uint c = lid; c < cols; c += 64)
			sum += kf_load(x, r * x_stride + c);
		part[lid] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		sum = 0.0f;
		for (uint i = 0; i < 64; i++)
			sum += part[i];
		if (lid == 0)
			kf_store(out, r, sum);
	}
}
