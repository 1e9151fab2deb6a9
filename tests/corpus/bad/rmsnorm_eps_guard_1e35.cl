// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// a small number keeps the root from zero
__kernel void k(__global const KF_T *x, __global const KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[64];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0);
	float s = 0.0f;
	for (uint c = l; c < cols; c += 64) {
		float v = kf_load(x, r * x_stride + c);
		s += v * v;
	}
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint o = 32; o > 0; o >>= 1) {
		if (l < o)
			part[l] += part[l + o];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float ms = part[0] / (float)cols + eps;
	const float d = sqrt(ms + 1e-36f * (ms > 0.0f));
	for (uint c = l; c < cols; c += 64)
		kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) / d * kf_load(weight, c));
}
