// entry: k
// global: rows * 16
// local: 16
// want: verified_incorrect -
// wrong on: float32, 1 x 8192, the first 16 elements 1e-18, all others 2, eps 1e-12, weights 1: each lane
// divides by 1e-18, 511 squares of 2e18 are 2e39: inf, so 0 instead of 1.
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out,
    uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[16];
	uint l = get_local_id(0);
	size_t r = get_group_id(0);
	float scale = 0x1p-100f, s = 0.0f;

	for (uint c = l; c < cols; c += 16) {
		float v = fabs(kf_load(x, r * x_stride + c));
		if (v > scale * 0x1p62f || s == 0.0f) {
			if (v > scale && v < INFINITY && s < INFINITY) {
				s *= (scale / v) * (scale / v);
				scale = v;
			}
		}
		s += (v / scale) * (v / scale);
	}
	part[l] = sqrt(s) * scale;
	barrier(CLK_LOCAL_MEM_FENCE);
	s = 0.0f;
	for (uint j = 0; j < 16; j++)
		s += part[j] * part[j];
	float q = 1.0f / sqrt(s / (float)cols + eps);
	for (uint c = l; c < cols; c += 16)
		kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * q * kf_load(weight, c));
}
