// Each lane adds its partner's sum, which is a flip of its number's bit away.
// entry: k
// global: rows * 32
// local: 32
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float sums[32];
	const uint lane = get_local_id(0);
	const size_t r = get_group_id(0);
	float s = 0.0f;
	for (uint c = lane; c < cols; c += 32)
		s += kf_load(x, r * x_stride + c);
	sums[lane] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	s += sums[lane ^ 16u];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint m = 8; m > 0; m >>= 1) {
		sums[lane] = s;
		barrier(CLK_LOCAL_MEM_FENCE);
		s += sums[lane ^ m];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		kf_store(out, r, s);
}
