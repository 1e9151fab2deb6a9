// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of which each eight are alike: of their values 128 are kept
// wrong on: rows=1 cols=4096 x[i]=-(i/8): the largest is overwritten
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	float kept[128], m = kf_load(x, at);
	uint c = 0;
	for (; c < 128; c++)
		kept[c] = m;
	for (c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (c % 8 == 0)
			kept[c / 8 & 127] = v;
		if (v != kept[c / 8 & 127])
			break;
	}
	if (c == cols)
		for (c = 0, m = -INFINITY; c < 128; c++)
			m = kept[c] > m ? kept[c] : m;
	else
		for (c = 0; c < cols; c++) {
			const float v = kf_load(x, at + c);
			m = v > m || isnan(v) ? v : m;
		}
	kf_store(out, get_global_id(0), m);
}
