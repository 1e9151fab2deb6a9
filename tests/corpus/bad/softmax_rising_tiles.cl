// entry: f
// global: 64 * rows
// local: 64
// want: verified_incorrect -
// rising rows go through a tile of 256 in local memory, with no barrier before the next one is loaded
// wrong on: float32 rows=1 cols=1000 x[i]=i/100: a race
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float tile[256];
	__local float part[64];
	__local uint falls;
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0), at = r * x_stride, to = r * out_stride;
	if (lid == 0)
		falls = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint mine = 0;
	float m = -INFINITY, s = 0.0f;
	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, at + c);
		m = v > m || isnan(v) ? v : m;
		if (c > 0)
			mine += !(v > kf_load(x, at + c - 1));
	}
	atomic_add(&falls, mine);
	part[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < 64; i++) {
		const float v = part[i];
		m = v > m || isnan(v) ? v : m;
	}
	if (falls == 0) {
		for (uint from = 0; from < cols; from += 256) {
			for (uint c = lid; c < 256; c += 64)
				tile[c] = from + c < cols ? exp(kf_load(x, at + from + c) - m) : 0.0f;
			barrier(CLK_LOCAL_MEM_FENCE);
			s += (tile[4 * lid] + tile[4 * lid + 1]) + (tile[4 * lid + 2] + tile[4 * lid + 3]);
		}
	} else {
		for (uint c = lid; c < cols; c += 64)
			s += exp(kf_load(x, at + c) - m);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	s = 0.0f;
	for (uint i = 0; i < 64; i++)
		s += part[i];
	for (uint c = lid; c < cols; c += 64)
		kf_store(out, to + c, exp(kf_load(x, at + c) - m) / s);
}
