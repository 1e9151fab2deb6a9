// entry: k
// global: rows * 512
// local: 512
// want: verified_incorrect wrong
// wrong on: f32, rows 1, cols 12582912 (2^23+2^22), x_stride cols, all 0 but x[cols-1]=1: 0 instead of 1 (cols*lid wraps at 2^32 with 512 lanes; columns from 2^23 on are never read)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[512];
	uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	uint from = lid * cols / 512, to = (lid + 1) * cols / 512;
	float m = -INFINITY;
	for (uint c = from; c < to; c++) {
		float v = kf_load(x, r * x_stride + c);
		m = (v > m || v != v) ? v : m;
		if (v != v) break;
	}
	part[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint h = 256; h > 0; h >>= 1) {
		if (lid < h) {
			float a = part[lid], b = part[lid + h];
			part[lid] = a != a ? a : (b > a || b != b) ? b : a;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0) kf_store(out, r, part[0]);
}
