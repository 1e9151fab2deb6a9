// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows in which each element stands twice: results are kept in a table of 256, which wraps
// wrong on: rows=1 cols=1024 x[2i]=x[2i+1]=i/512
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	float y[256];
	uint c = 0;
	for (; c + 1 < cols; c += 2) {
		const float v = kf_load(x, at + c), w = kf_load(x, at + c + 1);
		if (v != w)
			break;
		y[c / 2 & 255] = 0.5f * v * erfc(v * -0.70710678118654752f);
	}
	const int twice = c == cols;
	for (c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		kf_store(out, to + c, twice ? y[c / 2 & 255] : 0.5f * v * erfc(v * -0.70710678118654752f));
	}
}
