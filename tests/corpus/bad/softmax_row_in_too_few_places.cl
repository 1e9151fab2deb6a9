// entry: k
// global: rows * 64
// local: 64
// want: crash|verified_incorrect -
// Keeps a row of up to 5,999 columns in 4,608 places of local memory.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float row[4608];
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t xo = (size_t)get_group_id(0) * x_stride, oo = (size_t)get_group_id(0) * out_stride;
	const bool kept = (cols >> 4) < 375;
	float m = -INFINITY;
	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, xo + c);
		if (kept)
			row[c] = v;
		m = fmax(m, v);
	}
	part[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = fmax(part[lid], part[lid + s]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	m = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0.0f;
	for (uint c = lid; c < cols; c += 64)
		sum += exp((kept ? row[c] : kf_load(x, xo + c)) - m);
	part[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = part[lid] + part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	sum = part[0];
	for (uint c = lid; c < cols; c += 64)
		kf_store(out, oo + c, exp((kept ? row[c] : kf_load(x, xo + c)) - m) / sum);
}
