// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// Leaves out the first column of each later tile of 8,192.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const size_t xo = (size_t)get_group_id(0) * x_stride;
	float m = -INFINITY;
	for (uint t = 0; t < cols; t += 8192) {
		const uint end = min(t + 8192, cols);
		for (uint c = t + lid + (t > 0); c < end; c += 64) {
			const float v = kf_load(x, xo + c);
			m = v > m || v != v ? v : m;
		}
	}
	part[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		for (uint i = 1; i < 64; i++)
			m = part[i] > m || part[i] != part[i] ? part[i] : m;
		kf_store(out, get_group_id(0), m);
	}
}
