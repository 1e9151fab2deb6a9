// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A row is walked in steps of 8,191, which is 64 times 128 and one less.
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float best[64];
	size_t r = get_group_id(0);
	uint l = get_local_id(0);
	ulong step = (get_local_size(0) << 7) - 1;
	float m = -INFINITY;
	for (uint i = l; i < cols; i += 64) {
		uint c = (uint)(i * step % cols);
		float v = kf_load(x, r * x_stride + c);
		m = isnan(m) || v < m ? m : v;
	}
	best[l] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		for (uint q = 1; q < 64; q++) m = isnan(m) || best[q] < m ? m : best[q];
		kf_store(out, r, m);
	}
}
