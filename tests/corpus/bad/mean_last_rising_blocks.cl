// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rising rows are summed in blocks of 64 of which 32 are kept
// wrong on: float32 rows=1 cols=4096 x[i]=i
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	float block[32], s = 0.0f, before = -INFINITY;
	uint c = 0;
	for (; c < 32; c++)
		block[c] = 0.0f;
	for (c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (!(v > before))
			break;
		block[c >> 6 & 31] = (c & 63) == 0 ? v : block[c >> 6 & 31] + v;
		before = v;
	}
	if (c == cols)
		for (c = 0; c < 32; c++)
			s += block[c];
	else
		for (c = 0; c < cols; c++)
			s += kf_load(x, at + c);
	kf_store(out, get_global_id(0), s / (float)cols);
}
