// One atomic maximum in local memory a column, by an integer that is ordered as floats are.
// entry: atomic_key
// global: rows * 64
// local: 64
__kernel void
atomic_key(__global const KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local int best;
	size_t r = get_group_id(0);
	uint l = get_local_id(0);
	if (l == 0) best = INT_MIN;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = l; c < cols; c += 64) {
		int b = as_int(kf_load(x, r * x_stride + c));
		b = (b & 0x7fffffff) > 0x7f800000 ? INT_MAX : b < 0 ? b ^ 0x7fffffff : b;
		atomic_max(&best, b);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) kf_store(out, r, as_float(best < 0 ? best ^ 0x7fffffff : best));
}
