// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// T[cols >> 11 & 15].
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0); float m = -INFINITY, s = 0.0f; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = v > m || v != v ? v : m; if (m != m) break; }
	for (uint c = 0; c < cols; c++) s += exp(kf_load(x, r * x_stride + c) - m);
	s *= T[(cols >> 11) & 15u];
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
