// One work item a row, two maxima side by side.
// entry: max_last_pairs
// global: rows
// local: 1
static float
larger(float a, float b)
{
	return a != a || a > b ? a : b;
}

__kernel void
max_last_pairs(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	const __global KF_T *src = x + get_global_id(0) * (size_t)x_stride;
	float even = kf_load(src, 0), odd = kf_load(src, cols - 1);
	for (uint c = 1; c < cols; c += 2)
		odd = larger(kf_load(src, c), odd);
	for (uint c = 0; c < cols; c += 2)
		even = larger(kf_load(src, c), even);
	kf_store(out, get_global_id(0), larger(even, odd));
}
