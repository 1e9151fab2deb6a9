// Four columns a work item, their arithmetic in vectors.
// entry: gelu_vector
// global: ceil_div(cols, 4), rows
// local: 1, 1
__kernel void
gelu_vector(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint first = 4 * (uint)get_global_id(0);
	const size_t r = get_global_id(1);
	const uint count = min(cols - first, 4u);
	float buffer[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
	for (uint q = 0; q < count; q++)
		buffer[q] = kf_load(x, r * x_stride + first + q);
	const float4 v = vload4(0, buffer);
	vstore4(0.5f * v * (1.0f + erf(v * 0.70710678f)), 0, buffer);
	for (uint q = 0; q < count; q++)
		kf_store(out, r * out_stride + first + q, buffer[q]);
}
