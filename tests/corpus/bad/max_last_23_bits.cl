// Takes 23 bits of a column's number, which only a row of more than 2^23 shows.
// want: verified_incorrect - smoke
// entry: k
// global: rows * 32
// local: 32
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float s[32];
	uint l = get_local_id(0); size_t r = get_group_id(0);
	float m = -INFINITY;
	for (uint c = l; c < cols; c += 32) { float v = kf_load(x, r * x_stride + (c & 0x7fffff)); m = isnan(m) || m > v ? m : v; }
	s[l] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		for (uint k = 1; k < 32; k++) { float v = s[k]; m = isnan(m) || m > v ? m : v; }
		kf_store(out, r, m);
	}
}
