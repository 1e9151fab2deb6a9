// entry: k
// global: rows * 256
// local: 256
// want: verified_incorrect wrong
// wrong on: f32, rows 1, cols 25165824 (2^24+2^23), x_stride cols, all 0 but x[cols-1]=1: 0 instead of 1 (cols*lid wraps in 32 bits: [32768,2^23) is summed twice, columns from 16711680 on never)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[256];
	uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	uint from = cols * lid / 256, to = cols * (lid + 1) / 256;
	float s = 0.0f;
	for (uint c = from; c < to; c++)
		s += kf_load(x, r * x_stride + c);
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint h = 128; h > 0; h >>= 1) {
		if (lid < h) part[lid] += part[lid + h];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lid == 0) kf_store(out, r, part[0]);
}
