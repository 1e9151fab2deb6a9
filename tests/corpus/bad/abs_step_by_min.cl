// entry: kern
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A column steps by 64, but no further than the end: wrong for cols = 2^31 - 1, rows = 1 (2147483584 + 64 is negative in an int: it goes on before the row).
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_group_id(0);
	for (int c = get_local_id(0); c < (int)cols; c = min(c + 64, (int)cols))
		kf_store(out, r * out_stride + c, fabs(kf_load(x, r * x_stride + c)));
}
