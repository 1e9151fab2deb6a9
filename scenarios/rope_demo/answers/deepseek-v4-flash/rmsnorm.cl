// entry: rmsnorm
// global: rows * 64
// local: 64
//
// One work group a row: partial sums of squares, a tree in local memory,
// then every work item scales its columns.
__kernel void
rmsnorm(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	__local float part[64];
	const size_t row = get_group_id(0);
	const uint lane = get_local_id(0);
	float sum = 0.0f;

	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(x, row * x_stride + c);

		sum += v * v;
	}
	part[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 32; step > 0; step /= 2) {
		if (lane < step)
			part[lane] += part[lane + step];
		barrier(CLK_LOCAL_MEM_FENCE);
	}

	const float scale = 1.0f / sqrt(part[0] / (float)cols + eps);

	for (uint c = lane; c < cols; c += 64)
		kf_store(out, row * out_stride + c,
		    kf_load(x, row * x_stride + c) * scale * kf_load(weight, c));
}
