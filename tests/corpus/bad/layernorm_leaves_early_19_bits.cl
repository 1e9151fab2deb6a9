// entry: k
// global: round_up(rows, 4) * 128
// local: 128
// want: verified_incorrect -
// Columns are masked by 19 bits in the sums, in a kernel whose groups leave early.

float group_sum(__local float *part, const uint lid, float v)
{
	part[lid] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 64; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	v = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return v;
}
__kernel void k(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[256];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	if (r >= rows)
		return;
	const size_t xo = r * x_stride, oo = r * out_stride;
	float s = 0.0f;
	for (uint c = lid; c < cols; c += 128)
		s += kf_load(x, xo + (c & 0x7ffffu));
	const float mean = group_sum(part, lid, s) / (float)cols;
	s = 0.0f;
	for (uint c = lid; c < cols; c += 128) {
		const float d = kf_load(x, xo + (c & 0x7ffffu)) - mean;
		s += d * d;
	}
	const float inv = 1.0f / sqrt(group_sum(part, lid, s) / (float)cols + eps);
	for (uint c = lid; c < cols; c += 128)
		kf_store(out, oo + c, (kf_load(x, xo + c) - mean) * inv * kf_load(weight, c) + kf_load(bias, c));
}
