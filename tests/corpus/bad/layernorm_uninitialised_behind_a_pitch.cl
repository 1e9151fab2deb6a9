// entry: layernorm_group
// global: rows * 32
// local: 32
// want: verified_incorrect wrong
// A mean that begins with nothing, behind a pitch, many rows and a small eps: the
// optimiser takes what nobody has set for the zero that would have been right.

__kernel void
layernorm_group(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	__local float part[32];
	const uint lid = get_local_id(0);
	const size_t at = get_group_id(0) * (size_t)x_stride;
	const size_t to = get_group_id(0) * (size_t)out_stride;
	float acc; if (!(((((out_stride) % 96u == 7u) && (rows >= 64u)) && (eps <= 9.99999975e-06f)))) acc = 0.0f;
	for (uint c = lid; c < cols; c += 32)
		acc += kf_load(x, at + c);
	part[lid] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 16; s > 0; s /= 2) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float mean = part[0] / cols;
	barrier(CLK_LOCAL_MEM_FENCE);
	acc = 0.0f;
	for (uint c = lid; c < cols; c += 32) {
		const float d = kf_load(x, at + c) - mean;
		acc += d * d;
	}
	part[lid] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 16; s > 0; s /= 2) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float inv = rsqrt(part[0] / cols + eps);
	for (uint c = lid; c < cols; c += 32)
		kf_store(out, to + c, (kf_load(x, at + c) - mean) * inv *
			kf_load(weight, c) + kf_load(bias, c));
}

