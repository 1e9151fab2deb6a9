// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// squares of small elements: the whole part's exactly, in a uint, the rest in a float
// wrong on: float32, rows=1 cols=4194304, all x = 32, weight 1, eps 0: the whole squares' sum is 2^32, which is 0: out = inf instead of 1
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	__local float part[64];
	__local uint whole[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float s = 0.0f;
	uint w = 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = fabs(kf_load(src, c));
		if (v <= 32.0f) {
			const uint k = (uint)v;
			const float rest = v - (float)k;
			w += k * k;
			s += rest * (v + (float)k);
		} else {
			s += v * v;
		}
	}
	part[lane] = s;
	whole[lane] = w;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k) {
			part[lane] += part[lane + k];
			whole[lane] += whole[lane + k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float inv = 1.0f / sqrt((part[0] + (float)whole[0]) / (float)cols + eps);
	for (uint c = lane; c < cols; c += 64)
		kf_store(out, row * out_stride + c, kf_load(src, c) * inv * kf_load(weight, c));
}
