// Where a row begins, as an int.
// want: verified_incorrect - smoke
// entry: k
// global: rows
// local: 1
__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	int at = (int)get_global_id(0) * (int)x_stride;
	size_t to = get_global_id(0) * (size_t)out_stride;
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, at + c);
		s += v * v;
	}
	float r = 1.0f / sqrt(s / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, to + c, kf_load(x, at + c) * r * kf_load(weight, c));
}
