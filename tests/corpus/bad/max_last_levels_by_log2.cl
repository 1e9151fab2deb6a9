// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A lane has a 64th of the next power of two, found by log2 of a float: of 2^21 + 1 columns that is 2^21, and the last column belongs to nobody.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float best[64];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	const uint levels = (uint)ceil(log2((float)cols));
	const uint chunk = levels > 6 ? 1u << (levels - 6) : 1u;
	float m = -INFINITY;

	for (uint i = 0; i < chunk; i++) {
		const uint c = lid * chunk + i;
		if (c < cols) {
			const float v = kf_load(x, r * x_stride + c);
			m = v > m || isnan(v) ? v : m;
		}
	}
	best[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		for (uint i = 1; i < 64; i++)
			m = best[i] > m || isnan(best[i]) ? best[i] : m;
		kf_store(out, r, m);
	}
}
