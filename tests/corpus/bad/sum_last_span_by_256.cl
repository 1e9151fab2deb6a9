// entry: k
// global: rows * 256
// local: 256
// want: timeout timeout
// wrong on: f32, rows 1, cols 16777217, any values: never ends (span goes 1, 2^8, 2^16, 2^24, 0, 0, ...)
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[256];
	uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	uint span = 1;
	while (span * 256 < cols)
		span *= 256;
	float s = 0.0f;
	for (size_t c = (size_t)lid * span; c < cols; c += (size_t)256 * span) {
		uint e = (uint)min((size_t)cols, c + span);
		for (uint i = (uint)c; i < e; i++)
			s += kf_load(x, r * x_stride + i);
	}
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		for (uint i = 1; i < 256; i++) s += part[i];
		kf_store(out, r, s);
	}
}
