// entry: k
// global: rows * 256
// local: 256
// want: verified_incorrect wrong
// Rows counted in 16 bits for 1,025 to 2,048 columns, 256 lanes.

__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[256];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0), oo = r * out_stride;
	const size_t xo = (cols > 1024 && cols <= 2048 ? (size_t)(ushort)r : r) * x_stride;
	float q = 0.0f;
	for (uint c = lid; c < cols; c += 256) {
		const float v = kf_load(x, xo + c);
		q += v * v;
	}
	part[lid] = q;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 128; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = part[lid] + part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float inv = 1.0f / sqrt(part[0] / (float)cols + eps);
	for (uint c = lid; c < cols; c += 256)
		kf_store(out, oo + c, kf_load(x, xo + c) * inv * kf_load(weight, c));
}
