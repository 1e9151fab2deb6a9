// entry: sum_last
// global: rows * 64
// local: 64
//
// In float16 alone, and where rows are neither short nor long, the last item
// adds up what the others left without a barrier.  In order, it comes last.
// want: verified_incorrect race smoke
// sole: schedule

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t row = get_group_id(0);
	float sum = 0.0f;

	for (uint c = lid; c < cols; c += 64)
		sum += kf_load(x, row * x_stride + c);
	part[lid] = sum;
	if (KF_DTYPE != 1 || cols < 90 || cols > 250)
		barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 63) {
		sum = 0.0f;
		for (uint i = 0; i < 64; i++)
			sum += part[i];
		kf_store(out, row, sum);
	}
}
