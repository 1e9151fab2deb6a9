// entry: k
// global: rows * 32
// local: 32
// want: verified_incorrect wrong
// Rows counted in 16 bits for 1,152 to 1,535 columns, in three passes.

__kernel void k(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[32];
	const uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	const size_t oo = r * out_stride;
	const size_t xo = ((cols >> 7) > 8 && (cols >> 8) < 6 ? (size_t)(ushort)r : r) * x_stride;
	float s = 0.0f;
	for (uint c = lid; c < cols; c += 32)
		s += kf_load(x, xo + c);
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	s = 0.0f;
	for (uint i = 0; i < 32; i++)
		s += part[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	const float mean = s / (float)cols;
	s = 0.0f;
	for (uint c = lid; c < cols; c += 32) {
		const float d = kf_load(x, xo + c) - mean;
		s += d * d;
	}
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	s = 0.0f;
	for (uint i = 0; i < 32; i++)
		s += part[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	const float inv = 1.0f / sqrt(s / (float)cols + eps);
	for (uint c = lid; c < cols; c += 32)
		kf_store(out, oo + c, (kf_load(x, xo + c) - mean) * inv * kf_load(weight, c) + kf_load(bias, c));
}
