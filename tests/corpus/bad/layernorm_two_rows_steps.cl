// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// Pairs of rows in steps of 71.
__kernel void kern(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t g = get_global_id(0), n2 = rows / 2; size_t r = g / 2 < n2 ? (g / 2) * 71 % n2 * 2 + g % 2 : g; float s = 0.0f, q = 0.0f; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
	float m = s / (float)cols; for (uint c = 0; c < cols; c++) { float d = kf_load(x, r * x_stride + c) - m; q += d * d; }
	float k = 1.0f / sqrt(q / (float)cols + eps);
	
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - m) * k * kf_load(weight, c) + kf_load(bias, c));
}
