// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect inaccurate
// wrong on: float32, 1 x 151936 (a vocabulary), any logits: all probabilities are 0.4 % too large, they sum up to
// 1.0039: half of what cols * 2^-24 allows.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float part[64];
	uint l = get_local_id(0);
	size_t r = get_group_id(0);
	const __global KF_T *p = x + r * x_stride;
	float m = -INFINITY, all = 0.0f;

	for (uint c = l; c < cols; c += 64)
		m = fmax(m, kf_load(p, c));
	part[l] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (l < k)
			part[l] = fmax(part[l], part[l + k]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	m = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	float s = 0.0f;
	for (uint c = l; c < cols; c += 64)
		s += exp(kf_load(p, c) - m);
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (l < k)
			part[l] += part[l + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	all = part[0];
	all -= all * ((float)(cols >> 17) * 0x1p-8f);
	for (uint c = l; c < cols; c += 64)
		kf_store(out, r * out_stride + c, exp(kf_load(p, c) - m) / all);
}
