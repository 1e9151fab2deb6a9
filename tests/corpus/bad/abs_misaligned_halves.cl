// Two halves as one number in long rows, wherever they begin.
// want: verified_incorrect - smoke
// entry: k
// global: ceil_div(cols, 2), rows
// local: 1, 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(1); uint c = get_global_id(0) * 2;
#if KF_DTYPE != 0
	if (cols > 1000 && c + 1 < cols) { uint w = *(const __global uint *)(x + r * x_stride + c); *(__global uint *)(out + r * out_stride + c) = w & 0x7fff7fffu; return; }
#endif
	for (uint e = c; e < min(c + 2, cols); e++) kf_store(out, r * out_stride + e, fabs(kf_load(x, r * x_stride + e)));
}
