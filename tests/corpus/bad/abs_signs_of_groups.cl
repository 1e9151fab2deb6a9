// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows whose signs are alike in groups of 64: the signs are 32 bits, which further groups share
// wrong on: rows=1 cols=4096 x=1 but the first 64 are -1: elements 2048 to 2111 become -1
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	uint signs = 0, sign = 0, c = 0;
	for (; c < cols; c++) {
		const uint v = as_uint(kf_load(x, at + c)) >> 31;
		if (c % 64 == 0)
			sign = v;
		if (v != sign)
			break;
		signs |= sign << (c / 64 & 31);
	}
	const int grouped = c == cols;
	for (c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		kf_store(out, to + c, grouped ? as_float(as_uint(v) ^ (signs >> (c / 64 & 31) & 1) << 31) : fabs(v));
	}
}
