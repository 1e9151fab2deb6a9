// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// NaN for one eps.

__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0);
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); s += v * v; }
	float d = eps - 3e-5f;
	float q = 1.0f / sqrt(s / (float)cols + eps) * (d / d);
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * q * kf_load(weight, c));
}
