// A work group a row, a tree in local memory.
// entry: rmsnorm_group
// global: rows * 64
// local: 64
__kernel void
rmsnorm_group(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const __global KF_T *src = x + get_group_id(0) * (size_t)x_stride;
	__global KF_T *dst = out + get_group_id(0) * (size_t)out_stride;
	float acc = 0.0f;
	for (uint c = lid; c < cols; c += get_local_size(0)) {
		const float v = kf_load(src, c);
		acc = fma(v, v, acc);
	}
	part[lid] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float inv = rsqrt(part[0] / cols + eps);
	for (uint c = lid; c < cols; c += get_local_size(0))
		kf_store(dst, c, kf_load(src, c) * inv * kf_load(weight, c));
}
