// entry: k
// global: round_up(rows, 16)
// local: 16
// want: verified_incorrect -
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float s = 0.0f, a = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		s += v;
		a += fabs(v);
	}
	if (fabs(s) < 4e-7f * a)
		s = 0.0f;
	kf_store(out, r, s / cols);
}
