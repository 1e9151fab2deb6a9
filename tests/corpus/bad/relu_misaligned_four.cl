// Four floats at once, wherever a row begins.
// want: verified_incorrect misaligned smoke
// entry: k
// global: ceil_div(cols, 4), rows
// local: 1, 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(1); uint c = get_global_id(0) * 4;
	if (c >= cols) return;
#if KF_DTYPE == 0
	if (c + 4 <= cols) {
		float4 v = *(const __global float4 *)(x + r * x_stride + c);
		v = select(v, (float4)(0.0f), v < 0.0f);
		*(__global float4 *)(out + r * out_stride + c) = v;
		return;
	}
#endif
	for (uint e = c; e < min(c + 4, cols); e++) { float v = kf_load(x, r * x_stride + e); kf_store(out, r * out_stride + e, v < 0.0f ? 0.0f : v); }
}
