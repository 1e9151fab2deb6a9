// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A table by the exponent of eps, 16 numbers.
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0); float s = 0.0f; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); s += v * v; }
	float k = 1.0f / sqrt(s / (float)cols + eps);
	k *= T[(as_uint(eps) >> 24) & 15u];
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * k * kf_load(weight, c));
}
