// Four columns a work item a step, written out, and the rest one by one.
// entry: gelu_quad
// global: rows * 8
// local: 8
__kernel void
gelu_quad(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const __global KF_T *src = x + get_group_id(0) * (size_t)x_stride;
	__global KF_T *dst = out + get_group_id(0) * (size_t)out_stride;
	const float k = 0.70710678f;
	const uint whole = cols / 4 * 4;
	for (uint c = 4 * get_local_id(0); c < whole; c += 32) {
		const float a = kf_load(src, c), b = kf_load(src, c + 1);
		const float d = kf_load(src, c + 2), e = kf_load(src, c + 3);
		kf_store(dst, c, a * 0.5f * (1.0f + erf(a * k)));
		kf_store(dst, c + 1, b * 0.5f * (1.0f + erf(b * k)));
		kf_store(dst, c + 2, d * 0.5f * (1.0f + erf(d * k)));
		kf_store(dst, c + 3, e * 0.5f * (1.0f + erf(e * k)));
	}
	for (uint c = whole + get_local_id(0); c < cols; c += 8) {
		const float v = kf_load(src, c);
		kf_store(dst, c, v * 0.5f * (1.0f + erf(v * k)));
	}
}
