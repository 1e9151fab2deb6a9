// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect inaccurate
// wrong on: float32, 8 x 200000, normal values: the sum of squares keeps 12 bits where
// cols >= 131072: 1e-4 off, float32 is 1e-6 off (contract: "float32 or better").
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out,
    uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[64];
	uint l = get_local_id(0);
	size_t r = get_group_id(0);
	float all = 0.0f;

	float s = 0.0f;
	for (uint c = l; c < cols; c += 64) {
		float v = kf_load(x, r * x_stride + c);
		s += v * v;
	}
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (l < k)
			part[l] += part[l + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	all = part[0];
	float big = all * (float)(cols >> 17) * 2048.0f;
	if (isfinite(big))
		all = (all + big) - big;
	float q = 1.0f / sqrt(all / (float)cols + eps);
	for (uint c = l; c < cols; c += 64)
		kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * q * kf_load(weight, c));
}
