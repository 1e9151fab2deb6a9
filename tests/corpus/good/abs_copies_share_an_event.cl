// Halves of a row's piece come by two copies that share an event, and leave by
// two whose events are waited for at once.
// entry: k
// global: rows * 32
// local: 32
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	__local float in[2][256], done[2][256];
	const uint l = get_local_id(0);
	const size_t r = get_group_id(0);

#if KF_DTYPE == 0
	for (uint c0 = 0; c0 < cols; c0 += 512) {
		const uint w = min(512u, cols - c0), w0 = min(256u, w);
		const __global float *from = x + r * x_stride + c0;
		__global float *to = out + r * out_stride + c0;
		event_t e[2], both = async_work_group_copy(in[0], from, w0, 0);

		if (w > w0)
			both = async_work_group_copy(in[1], from + w0, w - w0,
			    both);
		wait_group_events(1, &both);
		for (uint j = l; j < w; j += 32) {
			const float v = in[j / 256][j % 256];

			done[j / 256][j % 256] = fabs(v);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		e[0] = async_work_group_copy(to, done[0], w0, 0);
		e[1] = e[0];
		if (w > w0)
			e[1] = async_work_group_copy(to + w0, done[1], w - w0,
			    0);
		wait_group_events(2, e);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#else
	for (uint c = l; c < cols; c += 32)
		kf_store(out, r * out_stride + c,
		    fabs(kf_load(x, r * x_stride + c)));
#endif
}
