// entry: k
// global: rows * 256
// local: 256
// want: verified_incorrect -
// Steps over a row in an int: with a row next to 2^31 the last step overflows.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float p[256];
	const int lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float m = -INFINITY;
	for (int c = lid; c < (int)cols; c += 256) {
		float v = kf_load(x, r * x_stride + c);
		m = isnan(m) || v <= m ? m : v;
	}
	p[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = 128; s > 0; s >>= 1) {
		if (lid < s) { float a = p[lid], b = p[lid + s]; p[lid] = isnan(a) || b <= a ? a : b; }
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0) kf_store(out, r, p[0]);
}
