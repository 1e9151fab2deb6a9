// entry: k
// global: rows * 256
// local: 256
// want: verified_incorrect -
// A lane stops at +infinity, for nothing is larger; a NaN later in the same lane is lost: +infinity in column 5, NaN in 261 of 300.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float best[256];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float m = -INFINITY;

	for (uint c = lid; c < cols && m != INFINITY; c += 256) {
		const float v = kf_load(x, r * x_stride + c);
		m = v > m || isnan(v) ? v : m;
	}
	best[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		for (uint i = 1; i < 256; i++)
			m = best[i] > m || isnan(best[i]) ? best[i] : m;
		kf_store(out, r, m);
	}
}
