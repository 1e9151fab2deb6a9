// Compares keys of whole numbers, among which only quiet NaNs are above all.
// want: verified_incorrect wrong smoke
// entry: k
// global: rows
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	const size_t r = get_global_id(0);
	int best = (int)0x80000000;

	for (uint c = 0; c < cols; c++) {
		int b = as_int(kf_load(x, r * x_stride + c));

		if ((b & 0x7fc00000) == 0x7fc00000)
			b = 0x7fffffff;
		best = max(best, b < 0 ? b ^ 0x7fffffff : b);
	}
	kf_store(out, r, as_float(best < 0 ? best ^ 0x7fffffff : best));
}
