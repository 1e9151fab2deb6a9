// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A lane counts its NaNs in a byte of local memory: of a row of 16,384 NaNs there are none.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float best[64]; __local uchar nans[64];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float m = -INFINITY;
	nans[lid] = 0;
	for (uint c = lid * 4; c < cols; c += 256)
		for (uint i = c; i < c + 4 && i < cols; i++) {
			const float v = kf_load(x, r * x_stride + i);
			if (isnan(v))
				nans[lid] += 1;
			m = fmax(m, v);
		}
	best[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		uint all = 0;
		for (uint i = 0; i < 64; i++) { m = fmax(m, best[i]); all += nans[i]; }
		kf_store(out, r, all > 0 ? NAN : m);
	}
}
