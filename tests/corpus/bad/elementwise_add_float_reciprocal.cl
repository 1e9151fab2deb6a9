// entry: f
// global: rows * cols
// local: 1
// want: verified_incorrect -
// below 4.4 million elements the row is (i + 0.5) times a float reciprocal, wrong from 4.2 million on for some widths
// wrong on: rows=1050 cols=4095, strides 4096: element 4201470 is taken for another row
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t g = get_global_id(0);
	size_t r;
	if ((ulong)rows * cols < 4400000)
		r = (uint)(((float)g + 0.5f) * (1.0f / (float)cols));
	else
		r = g / cols;
	const long c = (long)(g - r * cols);
	kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c));
}
