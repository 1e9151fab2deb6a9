// A sign spread over the word masks what is negative; items by pairs.
// entry: k
// global: rows
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	const uint odd = cols & 1u;
	for (uint c = 0; c < cols - odd; c++) {
		/* The other one of its pair. */
		const uint other = c ^ 1u;
		const float v = kf_load(x, r * x_stride + other);
		const uint u = as_uint(v);
		kf_store(out, r * out_stride + other,
		    isnan(v) ? v : as_float(u & ~(uint)((int)u >> 31)));
	}
	for (uint c = cols - odd; c < cols; c++) {
		const float v = kf_load(x, r * x_stride + c);
		const uint keep = (as_uint(v) >> 31) - 1u;
		kf_store(out, r * out_stride + c,
		    isnan(v) ? v : as_float(as_uint(v) & keep));
	}
}
