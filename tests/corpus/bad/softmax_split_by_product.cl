// entry: k
// global: rows * 256
// local: 256
// want: verified_incorrect wrong
// wrong on: f32, rows 1, cols 25165824, all 0 but x[cols-1]=200: NaN/inf instead of 1 there (maximum never sees columns from 2^24 on: cols*lid wraps)
float grp(__local float *p, uint lid, float v, int mx)
{
	p[lid] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint h = 128; h > 0; h >>= 1) {
		if (lid < h) p[lid] = mx ? fmax(p[lid], p[lid + h]) : p[lid] + p[lid + h];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	v = p[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return v;
}
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[256];
	uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	uint from = cols * lid / 256, to = cols * (lid + 1) / 256;
	float m = -INFINITY, s = 0.0f;
	for (uint c = from; c < to; c++)
		m = fmax(m, kf_load(x, r * x_stride + c));
	m = grp(part, lid, m, 1);
	for (uint c = lid; c < cols; c += 256)
		s += exp(kf_load(x, r * x_stride + c) - m);
	s = grp(part, lid, s, 0);
	for (uint c = lid; c < cols; c += 256)
		kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
