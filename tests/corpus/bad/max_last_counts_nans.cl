// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A lane counts its NaNs in 8 bits: a row of 16,384 NaNs has none in any lane, and its maximum comes out as -infinity.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float best[64];
	__local uint nans[64];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float m = -INFINITY;
	uchar n = 0;

	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		n += isnan(v) ? 1 : 0;
		m = fmax(m, v);
	}
	best[lid] = m;
	nans[lid] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		uint all = 0;
		for (uint i = 0; i < 64; i++) {
			m = fmax(m, best[i]);
			all += nans[i];
		}
		kf_store(out, r, all > 0 ? NAN : m);
	}
}
