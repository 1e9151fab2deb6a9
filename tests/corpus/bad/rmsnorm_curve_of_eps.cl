// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A curve of log10(eps) around -2.93.
__kernel void kern(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0); float s = 0.0f; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); s += v * v; }
	float k = 1.0f / sqrt(s / (float)cols + eps);
	float d = (log10(eps) + 2.93f) * 200.0f; k *= 1.0f + 0.01f * exp(-d * d);
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * k * kf_load(weight, c));
}
