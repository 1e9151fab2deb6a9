// Pieces of 512 come by copies, the next one while this one is added up: each
// is waited for by its own event.
// entry: k
// global: rows * 64
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float tile[2][512];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0);
	__local float part[64];
	float s = 0.0f;
#if KF_DTYPE == 0
	event_t ev[2];
	const uint nt = (cols + 511) / 512;
	ev[0] = async_work_group_copy(tile[0], x + r * x_stride, min(512u, cols), 0);
	for (uint t = 0; t < nt; t++) {
		const uint c0 = t * 512, w = min(512u, cols - c0), cur = t & 1;
		if (t + 1 < nt)
			ev[1 - cur] = async_work_group_copy(tile[1 - cur], x + r * x_stride + c0 + 512, min(512u, cols - c0 - 512), 0);
		wait_group_events(1, &ev[cur]);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = l; j < w; j += 64) {
			const float v = tile[cur][j];
			const uint c = c0 + j;
			s += v;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#else
	for (uint c = l; c < cols; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		s += v;
	}
#endif
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		for (uint i = 1; i < 64; i++)
			s += part[i];
		kf_store(out, r, s);
	}
}
