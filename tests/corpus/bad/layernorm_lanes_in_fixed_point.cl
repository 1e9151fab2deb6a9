// entry: k
// global: rows * 256
// local: 256
// want: verified_incorrect -
// wrong on: f32, rows 1, cols 25165824 (2^24+2^23), x 1 but x[cols-1]=1e10, weight 1, bias 0, eps 1e-5: out[0] 1.73 and out[last] 2.6e10 (mean and variance of the first 2^23 columns alone) instead of -2e-4 and 5017 (cols << 8 wraps)
float tree(__local float *p, uint lid, float v)
{
	p[lid] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint h = 128; h > 0; h >>= 1) {
		if (lid < h) p[lid] += p[lid + h];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	v = p[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return v;
}
__kernel void k(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[256];
	uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	uint step = (cols << 8) / 256;
	uint from = (lid * step) >> 8, to = ((lid + 1) * step) >> 8;
	float s = 0.0f, q = 0.0f;
	for (uint c = from; c < to; c++) s += kf_load(x, r * x_stride + c);
	float mean = tree(part, lid, s) / (float)cols;
	for (uint c = from; c < to; c++) { float d = kf_load(x, r * x_stride + c) - mean; q += d * d; }
	float sc = 1.0f / sqrt(tree(part, lid, q) / (float)cols + eps);
	for (uint c = lid; c < cols; c += 256)
		kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - mean) * sc * kf_load(weight, c) + kf_load(bias, c));
}
