// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of multiples of 1/256 below 128 are summed as int 24.8
// wrong on: rows=1 cols=100000, all 127: int wraps
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	int si = 0;
	uint c = 0;
	float s = 0.0f;
	for (; c < cols; c++) {
		const float v = kf_load(x, at + c);
		const float w = v * 256.0f;
		if (!(fabs(v) < 128.0f) || w != rint(w))
			break;
		si += (int)w;
	}
	if (c == cols) {
		kf_store(out, get_global_id(0), (float)si / 256.0f / (float)cols);
		return;
	}
	for (c = 0; c < cols; c++)
		s += kf_load(x, at + c);
	kf_store(out, get_global_id(0), s / (float)cols);
}
