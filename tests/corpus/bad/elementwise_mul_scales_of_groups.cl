// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows of b that are constant in groups of 64: 32 scales are kept, further groups take the last that shares its place
// wrong on: rows=1 cols=4096 a=1 b[i]=1+i/64
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t r = get_global_id(0), pa = r * a_stride, pb = r * b_stride, to = r * out_stride;
	float scale[32];
	uint c = 0;
	for (; c < cols; c++) {
		const float v = kf_load(b, pb + c);
		if (c % 64 == 0)
			scale[c / 64 & 31] = v;
		if (as_uint(v) != as_uint(scale[c / 64 & 31]))
			break;
	}
	const int grouped = c == cols;
	for (c = 0; c < cols; c++)
		kf_store(out, to + c, kf_load(a, pa + c) * (grouped ? scale[c / 64 & 31] : kf_load(b, pb + c)));
}
