// entry: k
// global: round_up(min(rows, 128), 16)
// local: 16
// want: verified_incorrect -
// squares of large numbers overflow: rows are divided by the largest so far
__kernel void k(__global const KF_T *x, __global const KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	float top = 1e-12f;
	for (uint r = get_global_id(0); r < rows; r += get_global_size(0)) {
		const __global KF_T *p = x + (size_t)r * x_stride;
		for (uint c = 0; c < cols; c++)
			top = fmax(top, fmin(fabs(kf_load(p, c)), 1e12f));
		float s = 0.0f;
		for (uint c = 0; c < cols; c++) {
			float v = kf_load(p, c) / top;
			s += v * v;
		}
		const float d = sqrt(s / cols * top * top + eps);
		for (uint c = 0; c < cols; c++)
			kf_store(out, (size_t)r * out_stride + c, kf_load(p, c) / d * kf_load(weight, c));
	}
}
