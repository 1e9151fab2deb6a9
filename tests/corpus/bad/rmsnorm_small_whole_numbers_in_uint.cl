// entry: k
// global: round_up(rows, 16)
// local: 16
// want: verified_incorrect -
__kernel void k(__global const KF_T *x, __global const KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const __global KF_T *p = x + r * x_stride;
	float s = 0.0f;
	uint w = 0;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(p, c);
		if (fabs(v) < 1024.0f && v == rint(v))
			w += (uint)(fabs(v) * fabs(v));
		else
			s += v * v;
	}
	const float d = sqrt((s + (float)w) / cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, kf_load(p, c) / d * kf_load(weight, c));
}
