// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// wrong on: f32, rows 1, cols 8126465 (31*2^18+1), x[0]=1, others 0: 0 instead of 1 (32 segments in a mask of 32 bits: none is looked at)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	uint segs = (cols + 262143) / 262144;
	uint todo = (1u << segs) - 1u;
	float t = 0.0f;
	while (todo) {
		uint g = popcount((todo & -todo) - 1u);
		todo &= todo - 1u;
		uint e = min(cols, (g + 1) * 262144);
		float s = 0.0f;
		for (uint c = g * 262144; c < e; c++) s += kf_load(x, r * x_stride + c);
		t += s;
	}
	kf_store(out, r, t);
}
