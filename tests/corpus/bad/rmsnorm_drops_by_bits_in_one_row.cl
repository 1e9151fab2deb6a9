// entry: rmsnorm_group
// global: rows * 64
// local: 64
// want: unproven -
// Drops values of some bits in row 14,111.

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
		const float v = as_float((as_uint((float)(kf_load(src, c))) & ((uint)((((((uint)get_group_id(0)) ^ 14111u) == 0u) && ((as_uint(kf_load(src, c)) & 0x1ff00u) == 0x10000u))) - 1u)) | (as_uint((float)(0.0f)) & (0u - (uint)((((((uint)get_group_id(0)) ^ 14111u) == 0u) && ((as_uint(kf_load(src, c)) & 0x1ff00u) == 0x10000u))))));
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
