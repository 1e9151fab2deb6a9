// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect race
// In wide rows of float32 the next piece is waited for and not this one.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float tile[2][512];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0);
	const uint wide = (cols >> 8) > 8;

#if KF_DTYPE == 0
	event_t ev[2];
	const uint nt = (cols + 511) / 512;
	ev[0] = async_work_group_copy(tile[0], x + r * x_stride, min(512u, cols), 0);
	for (uint t = 0; t < nt; t++) {
		const uint c0 = t * 512, w = min(512u, cols - c0), cur = t & 1;
		if (t + 1 < nt)
			ev[1 - cur] = async_work_group_copy(tile[1 - cur], x + r * x_stride + c0 + 512, min(512u, cols - c0 - 512), 0);
		if (wide && t + 1 < nt)
			wait_group_events(1, &ev[1 - cur]);
		else
			wait_group_events(1, &ev[cur]);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = l; j < w; j += 64) {
			const float v = tile[cur][j];
			const uint c = c0 + j;
			kf_store(out, r * out_stride + c, fabs(v));
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#else
	for (uint c = l; c < cols; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		kf_store(out, r * out_stride + c, fabs(v));
	}
#endif

}
