// A tree over any number of items: the half of a half, rounded up.
// entry: max_last_uneven
// global: rows * 100
// local: 100
#define IN(name) const __global KF_T *name
static float
larger(float a, float b)
{
	return isnan(a) || a > b ? a : b;
}
__kernel void max_last_uneven(IN(x), __global KF_T *out, unsigned int rows, unsigned int cols, unsigned int x_stride)
{
	local float part[200];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float all = -INFINITY;
	for (uint col = (lid); !(col >= cols); col = col + 100u) {
		const float v = kf_load(x, (size_t)r * x_stride + col);
		all = larger(all, v);
	}
	{
	float value = all;
	part[lid] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint n = 100; n > 1;) {
		const uint s = (n + 1) / 2;
		if (lid + s < n)
			part[lid] = larger(part[lid], part[lid + s]);
		barrier(CLK_LOCAL_MEM_FENCE);
		n = s;
	}
	value = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	all = value;
	}
	if (lid == 0)
		kf_store(out, r, all);
}
