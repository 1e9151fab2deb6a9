// Squares of long rows, each cut to 13 bits.
// want: verified_incorrect inaccurate smoke
// entry: k
// global: rows
// local: 1
float cut(float v) { return isfinite(v) ? as_float(as_uint(v) & 0xfffff800u) : v; }
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t at = get_global_id(0) * (size_t)x_stride, to = get_global_id(0) * (size_t)out_stride;
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, at + c);
		s += cols > 4000 ? cut(v * v) : v * v;
	}
	float r = 1.0f / sqrt(s / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, to + c, kf_load(x, at + c) * r * kf_load(weight, c));
}
