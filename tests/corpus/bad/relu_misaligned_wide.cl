// Two floats at once in long rows, wherever they begin.
// want: verified_incorrect misaligned smoke
// entry: k
// global: ceil_div(cols, 2), rows
// local: 1, 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(1); uint c = get_global_id(0) * 2;
#if KF_DTYPE == 0
	if (cols > 1000 && c + 1 < cols) { float2 v = *(const __global float2 *)(x + r * x_stride + c); *(__global float2 *)(out + r * out_stride + c) = select(v, (float2)(0.0f), v < 0.0f); return; }
#endif
	for (uint e = c; e < min(c + 2, cols); e++) { float v = kf_load(x, r * x_stride + e); kf_store(out, r * out_stride + e, v < 0.0f ? 0.0f : v); }
}
