// Whole groups leave before the first barrier, and PoCL 3.1 runs on for them.
// entry: k
// global: round_up(rows, 4) * 128
// local: 128
#define IN(name) const __global KF_T *name
typedef __global KF_T *out_t;
float
larger(float a, float b)
{
	return (a != a) ? a : (b != b) ? b : fmax(a, b);
}
float
group_max(__local float *part, const uint lid, float value)
{
	part[lid] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 64; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = larger(part[lid], part[lid + s]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	value = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return value;
}
kernel void
k(IN(x), out_t out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local float part[256];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	if (r >= rows)
		return;
	const uint width = (cols + 127) / 128;
	const uint from = min(lid * width, cols);
	const uint upto = min(from + width, cols);
	float top = -INFINITY;
	for (uint col = (from); !(col >= upto); col = col + 1) {
		const float v = kf_load(x, (ulong)r * x_stride + col);
		top = larger(top, v);
	}
	top = group_max(part, lid, top);
	float sum = 0.0f;
	for (uint col = (from); !(col >= upto); col = col + 1) {
		const float v = kf_load(x, (ulong)r * x_stride + col);
		sum = sum + exp(v - top);
	}
	{
	float value = sum;
	part[lid] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0)
		for (uint s = 1; s < 128; s++)
			part[0] = part[0] + part[s];
	barrier(CLK_LOCAL_MEM_FENCE);
	value = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = value;
	}
	for (uint col = (from); !(col >= upto); col = col + 1) {
		const float v = kf_load(x, (ulong)r * x_stride + col);
		kf_store(out, (ulong)r * out_stride + col, exp(v - top) / sum);
	}
}
