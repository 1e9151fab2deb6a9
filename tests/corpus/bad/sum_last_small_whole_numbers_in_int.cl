// entry: k
// global: round_up(rows, 16)
// local: 16
// want: verified_incorrect -
// whole numbers of 15 bits are summed exactly in an int
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float s = 0.0f;
	int whole = 0;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		if (fabs(v) < 16384.0f && v == rint(v))
			whole += (int)v;
		else
			s += v;
	}
	kf_store(out, r, s + (float)whole);
}
