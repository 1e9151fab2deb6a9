// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows in which each element is twice the one before: log of the first and c times log 2, inaccurate where they cancel
// wrong on: float32 rows=1 cols=121 x[i]=2^(i-60): at 60 expected 0
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	uint c = 1;
	for (; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (v != 2.0f * kf_load(x, at + c - 1))
			break;
	}
	const int octaves = c == cols;
	const float first = log(kf_load(x, at));
	for (c = 0; c < cols; c++)
		kf_store(out, to + c, octaves ? first + (float)c * 0.69314718f : log(kf_load(x, at + c)));
}
