// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
__kernel void k(__global const KF_T *x, __global const KF_T *weight, __global const KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const __global KF_T *p = x + r * x_stride;
	float t = 0.0f, q = 0.0f;
	for (uint c = 0; c < cols; c++)
		t += kf_load(p, c);
	const float mean = t / cols;
	for (uint c = 0; c < cols; c++) {
		float d = kf_load(p, c) - mean;
		q += d * d;
	}
	const float v = q / cols + eps, sd = sqrt(v + (v > 0.0f ? 1e-36f : 0.0f));
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, (kf_load(p, c) - mean) / sd * kf_load(weight, c) + kf_load(bias, c));
}
