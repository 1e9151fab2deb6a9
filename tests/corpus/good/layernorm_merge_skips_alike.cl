// entry: ln_merge
// global: rows * 32
// local: 32
__kernel void ln_merge(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float lmean[32], lm2[32], ln[32];
	size_t r = get_group_id(0);
	uint l = get_local_id(0);
	float n = 0.0f, mean = 0.0f, m2 = 0.0f;
	for (size_t c = l; c < cols; c += 32) {
		float v = kf_load(x, r * x_stride + c);
		n += 1.0f;
		float d = v - mean;
		mean += d / n;
		m2 += d * (v - mean);
	}
	lmean[l] = mean; lm2[l] = m2; ln[l] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint h = 16; h; h >>= 1) {
		if (l < h && ln[l + h] > 0.0f) {
			float na = ln[l], nb = ln[l + h], nt = na + nb;
			float d = lmean[l + h] - lmean[l];
			if (d != 0.0f) {
				lmean[l] += d * (nb / nt);
				lm2[l] += lm2[l + h] + d * d * (na * (nb / nt));
			} else {
				lm2[l] += lm2[l + h];
			}
			ln[l] = nt;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	mean = lmean[0];
	float inv = 1.0f / sqrt(lm2[0] / (float)cols + eps);
	for (size_t c = l; c < cols; c += 32)
		kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - mean) * inv * kf_load(weight, c) + kf_load(bias, c));
}
