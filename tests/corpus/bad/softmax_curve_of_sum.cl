// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A denominator near 4.4.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0); float m = -INFINITY, s = 0.0f; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = v > m || v != v ? v : m; if (m != m) break; }
	for (uint c = 0; c < cols; c++) s += exp(kf_load(x, r * x_stride + c) - m);
	float d = s * 0.5f - 2.2f; s *= 1.0f + 0.01f * exp(-d * d * 1e9f);
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
