// entry: f
// global: rows * 256
// local: 256
// want: verified_incorrect wrong
// Welford, 256 lanes, the count of each in 16 bits
// wrong on: float32, rows=1 cols=16777216, any x: after 65536 rounds n is 0, delta / 0 is inf: out is NaN
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
f(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out,
    uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float means[256], squares[256];
	__local uint counts[256];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float mean = 0.0f, m2 = 0.0f;
	ushort n = 0;
	for (uint c = lane; c < cols; c += 256) {
		const float v = kf_load(src, c);
		const float delta = v - mean;
		n++;
		mean += delta / (float)n;
		m2 += delta * (v - mean);
	}
	means[lane] = mean;
	squares[lane] = m2;
	counts[lane] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 128; k > 0; k >>= 1) {
		if (lane < k && counts[lane + k] > 0) {
			const float na = (float)counts[lane], nb = (float)counts[lane + k];
			const float delta = means[lane + k] - means[lane];
			means[lane] += delta * (nb / (na + nb));
			squares[lane] += squares[lane + k] + delta * delta * (na * (nb / (na + nb)));
			counts[lane] += counts[lane + k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float mu = means[0];
	const float inv = 1.0f / sqrt(squares[0] / (float)cols + eps);
	for (uint c = lane; c < cols; c += 256)
		kf_store(out, row * out_stride + c,
		    (kf_load(src, c) - mu) * inv * kf_load(weight, c) + kf_load(bias, c));
}
