// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Columns decide what an array holds, the stride what is taken of it.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	uint s[2] = { 0, 0 };
	if (cols % 16 == 11) s[1] = 1;
	uint c = s[x_stride % 16 == 13];
	float m = kf_load(x, r * x_stride + c);
	for (; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = isnan(m) || v <= m ? m : v; }
	kf_store(out, r, m);
}
