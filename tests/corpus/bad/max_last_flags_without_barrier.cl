// entry: flags_in_bytes
// global: rows * 64
// local: 64
// want: verified_incorrect race
// A lane remembers in a byte whether it has met a NaN; nobody waits for it.

__kernel void
flags_in_bytes(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float best[64];
	__local uchar nans[64];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float m = -INFINITY;
	uchar n = 0;

	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		n |= isnan(v) ? 1 : 0;
		m = fmax(m, v);
	}
	best[lid] = m;
	nans[lid] = n;
	if (lid == 63) {
		uint all = 0;
		for (uint i = 0; i < 64; i++) {
			m = fmax(m, best[i]);
			all += nans[i];
		}
		kf_store(out, r, all > 0 ? NAN : m);
	}
}
