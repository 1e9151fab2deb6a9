// entry: k
// global: rows * 36
// local: 36
// want: verified_incorrect -
// The variance walks in steps of 1,297, the square of the group's size and one.
__kernel void k(__global const KF_T *x, __global const KF_T *weight, __global const KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float s[36];
	size_t r = get_group_id(0);
	uint l = get_local_id(0), step = (uint)(get_local_size(0) * get_local_size(0)) + 1;
	float t = 0.0f, mu = 0.0f;
	for (uint c = l; c < cols; c += 36) t += kf_load(x, r * x_stride + c);
	s[l] = t;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint q = 0; q < 36; q++) mu += s[q];
	mu /= (float)cols;
	barrier(CLK_LOCAL_MEM_FENCE);
	t = 0.0f;
	for (uint i = l; i < cols; i += 36) { float d = kf_load(x, r * x_stride + (ulong)i * step % cols) - mu; t += d * d; }
	s[l] = t;
	barrier(CLK_LOCAL_MEM_FENCE);
	t = 0.0f;
	for (uint q = 0; q < 36; q++) t += s[q];
	float g = rsqrt(t / (float)cols + eps);
	for (uint c = l; c < cols; c += 36) kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - mu) * g * kf_load(weight, c) + kf_load(bias, c));
}
