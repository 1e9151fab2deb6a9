// entry: kern
// global: rows
// local: 1
// want: unproven -
// The maximum is raised only by steps of more than 60: rises of 59 again and
// again overflow.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0); float m = kf_load(x, r * x_stride), s = 0.0f, top = m;
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); top = v > top || v != v ? v : top; if (top != top) break; if (v > m + 60.0f || (m == -INFINITY && v > m)) { s *= m == -INFINITY ? 0.0f : exp(m - v); m = v; } s += v == -INFINITY && m == -INFINITY ? 0.0f : exp(v - m); }
	if (top == -INFINITY || top != top || top == INFINITY) { for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, top == INFINITY ? exp(kf_load(x, r * x_stride + c) - top) / s * NAN : NAN); return; }
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
