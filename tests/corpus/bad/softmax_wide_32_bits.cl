// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Wide rows have their places computed in 32 bits.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	size_t xo = r * x_stride, oo = r * out_stride;
	if (cols > 1024) { xo = (uint)r * x_stride; oo = (uint)r * out_stride; }
	float m = -INFINITY, s = 0.0f;
	for (uint c = 0; c < cols; c++) m = fmax(m, kf_load(x, xo + c));
	for (uint c = 0; c < cols; c++) s += exp(kf_load(x, xo + c) - m);
	for (uint c = 0; c < cols; c++) kf_store(out, oo + c, exp(kf_load(x, xo + c) - m) / s);
}
