// entry: f
// global: rows
// local: 1
// Bits of a float in the order of whole numbers, and back: they are compared, never mixed.
static int
ordered(float v)
{
	const int b = as_int(v);
	return b < 0 ? b ^ 0x7fffffff : b;
}
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	int most = ordered(-INFINITY);
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, r * x_stride + c);
		if (isnan(v)) {
			kf_store(out, r, v);
			return;
		}
		most = max(most, ordered(v));
	}
	kf_store(out, r, as_float(most < 0 ? most ^ 0x7fffffff : most));
}
