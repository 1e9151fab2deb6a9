// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// wrong on: f32, rows 1, cols 8126465 (31*2^18+1), all 0: -inf instead of 0 (32 segments: (1u << 32) - 1 is 0 in OpenCL, nothing is looked at)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	uint segs = (cols + 262143) / 262144;
	uint todo = (1u << segs) - 1u;
	float m = -INFINITY;
	while (todo) {
		uint s = popcount((todo & -todo) - 1u);
		todo &= todo - 1u;
		uint e = min(cols, (s + 1) * 262144);
		for (uint c = s * 262144; c < e; c++) {
			float v = kf_load(x, r * x_stride + c);
			m = m != m ? m : (v > m || v != v) ? v : m;
		}
	}
	kf_store(out, r, m);
}
