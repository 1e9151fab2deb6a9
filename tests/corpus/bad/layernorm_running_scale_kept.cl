// entry: k
// global: round_up(min(rows, 128), 16)
// local: 16
// want: verified_incorrect -
__kernel void k(__global const KF_T *x, __global const KF_T *weight, __global const KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	float top = 1e-9f;
	for (uint r = get_global_id(0); r < rows; r += get_global_size(0)) {
		const __global KF_T *p = x + (size_t)r * x_stride;
		float t = 0.0f, q = 0.0f;
		for (uint c = 0; c < cols; c++)
			t += kf_load(p, c);
		const float mean = t / cols;
		for (uint c = 0; c < cols; c++)
			top = fmax(top, fmin(fabs(kf_load(p, c) - mean), 1e9f));
		for (uint c = 0; c < cols; c++) {
			const float d = (kf_load(p, c) - mean) / top;
			q += d * d;
		}
		const float sd = sqrt(q / cols * top * top + eps);
		for (uint c = 0; c < cols; c++)
			kf_store(out, (size_t)r * out_stride + c, (kf_load(p, c) - mean) / sd * kf_load(weight, c) + kf_load(bias, c));
	}
}
