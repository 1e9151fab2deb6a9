// entry: f
// global: rows * 128
// local: 128
// want: verified_incorrect wrong
// tanh by one exponential where no element of the row is small; how many are is counted in 16 bits
// wrong on: float32, rows=1 cols=65600, 65536 elements of 1e-9, others 1: the count is 0, out is 0 instead of 1e-9
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint small;
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	if (lane == 0)
		small = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint n = 0;
	for (uint c = lane; c < cols; c += 128)
		n += fabs(kf_load(x, row * x_stride + c)) < 1.0f ? 1 : 0;
	atomic_add(&small, n);
	barrier(CLK_LOCAL_MEM_FENCE);
	const bool plain = (small & 0xffffu) == 0;
	for (uint c = lane; c < cols; c += 128) {
		const float v = kf_load(x, row * x_stride + c);
		float y = tanh(v);
		if (plain)
			y = copysign(1.0f - 2.0f / (1.0f + exp(2.0f * fabs(v))), v);
		kf_store(out, row * out_stride + c, y);
	}
}
