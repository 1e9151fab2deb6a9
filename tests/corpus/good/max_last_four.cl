// One work item a row, four columns a step.
// entry: max_last_four
// global: round_up(rows, 4)
// local: 4
static float
larger(float a, float b)
{
	return isnan(a) || a > b ? a : b;
}

__kernel void
max_last_four(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const __global KF_T *src = x + r * x_stride;
	float a = -INFINITY, b = -INFINITY;
	uint c = 0;
	for (; c + 4 <= cols; c += 4) {
		a = larger(larger(kf_load(src, c), kf_load(src, c + 1)), a);
		b = larger(larger(kf_load(src, c + 2), kf_load(src, c + 3)), b);
	}
	for (; c < cols; c++)
		a = larger(kf_load(src, c), a);
	kf_store(out, r, larger(b, a));
}
