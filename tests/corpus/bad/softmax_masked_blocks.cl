// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Block by block without a guard for a first block of nothing but -inf.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	float m = -INFINITY, s = 0.0f;
	for (uint c0 = 0; c0 < cols; c0 += 128) {
		uint e = min(c0 + 128, cols);
		float bm = -INFINITY, bs = 0.0f;
		for (uint c = c0; c < e; c++) bm = fmax(bm, kf_load(x, r * x_stride + c));
		float nm = fmax(m, bm);
		for (uint c = c0; c < e; c++) bs += exp(kf_load(x, r * x_stride + c) - nm);
		s = c0 == 0 ? bs : s * exp(m - nm) + bs;
		m = nm;
	}
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
