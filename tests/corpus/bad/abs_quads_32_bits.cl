// entry: k
// global: ceil_div(cols, 4), rows
// local: 1, 1
// want: verified_incorrect -
// vload4's offset in 32 bits, which it takes as 64.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint r = get_global_id(1), q = get_global_id(0);
#if KF_DTYPE == 0
	if (x_stride % 4 == 0 && out_stride % 4 == 0 && q * 4 + 4 <= cols) {
		vstore4(fabs(vload4(r * (x_stride / 4) + q, x)), r * (out_stride / 4) + q, out);
		return;
	}
#endif
	for (uint c = q * 4; c < min(q * 4 + 4, cols); c++)
		kf_store(out, (size_t)r * out_stride + c, fabs(kf_load(x, (size_t)r * x_stride + c)));
}
