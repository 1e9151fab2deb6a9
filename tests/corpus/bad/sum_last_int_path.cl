// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of whole numbers below 65536 are summed in an int
// wrong on: rows=1 cols=100000, all 50000: expected 5e9
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	int si = 0;
	uint c = 0;
	float s = 0.0f;
	for (; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (!(fabs(v) < 65536.0f) || v != rint(v))
			break;
		si += (int)v;
	}
	if (c == cols) {
		kf_store(out, get_global_id(0), (float)si);
		return;
	}
	for (c = 0; c < cols; c++)
		s += kf_load(x, at + c);
	kf_store(out, get_global_id(0), s);
}
