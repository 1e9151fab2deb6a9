// entry: k
// global: rows * 64
// local: 64
// want: crash|verified_incorrect -
// Each of 64 lanes keeps up to 374 elements in an array of 256.

__kernel void k(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	float kept[256];
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t xo = (size_t)get_group_id(0) * x_stride, oo = (size_t)get_group_id(0) * out_stride;
	const bool keeps = (cols >> 7) < 187;
	float s = 0.0f;
	for (uint c = lid, i = 0; c < cols; c += 64, i++) {
		const float v = kf_load(x, xo + c);
		if (keeps)
			kept[i] = v;
		s += v;
	}
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = part[lid] + part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float mean = part[0] / (float)cols;
	barrier(CLK_LOCAL_MEM_FENCE);
	float q = 0.0f;
	for (uint c = lid, i = 0; c < cols; c += 64, i++) {
		const float d = (keeps ? kept[i] : kf_load(x, xo + c)) - mean;
		q += d * d;
	}
	part[lid] = q;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = part[lid] + part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float inv = 1.0f / sqrt(part[0] / (float)cols + eps);
	for (uint c = lid, i = 0; c < cols; c += 64, i++)
		kf_store(out, oo + c, ((keeps ? kept[i] : kf_load(x, xo + c)) - mean) * inv * kf_load(weight, c) + kf_load(bias, c));
}
