// entry: kern
// global: rows * 64
// local: 64
// want: verified_incorrect -
// Tiles of 256 come by asynchronous copies in turn; a tile number has 16 bits: wrong for cols = 2^24 + 256 (tile 65536 is tile 0 again, the last columns stay unwritten).
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_group_id(0);
	const uint lid = get_local_id(0), tiles = (cols - 1) / 256 + 1;
#if KF_DTYPE == 1
	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
	}
#else
	__local KF_T tile[2][256];
	const __global KF_T *from = x + r * x_stride;
	event_t e = async_work_group_copy(tile[0], from, (size_t)min(cols, 256u), 0);
	for (uint t = 0; t < tiles; t++) {
		wait_group_events(1, &e);
		if (t + 1 < tiles) {
			const uint c1 = (uint)(ushort)(t + 1) * 256;
			e = async_work_group_copy(tile[(t + 1) & 1], from + c1, (size_t)min(cols - c1, 256u), 0);
		}
		const uint c0 = (uint)(ushort)t * 256, n = min(cols - c0, 256u);
		for (uint j = lid; j < n; j += 64) {
#if KF_DTYPE == 0
			const float v = tile[t & 1][j];
#else
			const float v = as_float((uint)tile[t & 1][j] << 16);
#endif
			kf_store(out, r * out_stride + c0 + j, v < 0.0f ? 0.0f : v);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
#endif
}
