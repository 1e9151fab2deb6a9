// entry: kern
// global: rows
// local: 1
// want: crash|verified_incorrect -
// Online, one scale for each rise of the maximum, 32 places.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0); float scale[32]; uint n = 0; float m = -INFINITY, s = 0.0f;
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); if (v > m || (v != v && m == m)) { scale[n++] = m; s = s * (m == v ? 1.0f : m == -INFINITY ? 0.0f : exp(m - v)); m = v; } s += m == -INFINITY ? 0.0f : exp(v - m); }
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); kf_store(out, r * out_stride + c, n == 0 ? v - v : exp(v - m) / s + 0.0f * (scale[0] == 1.0f ? 1.0f : 0.0f)); }
}
