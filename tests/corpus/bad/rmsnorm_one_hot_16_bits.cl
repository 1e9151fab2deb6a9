// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// a row with one element that is not zero: its place is kept in 16 bits
// wrong on: rows=1 cols=70000, zeros but x[69000]=3: out[69000] is 0, expected 793.7*w
__kernel void
f(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	uint count = 0;
	ushort where = 0;
	float s = 0.0f, one = 0.0f;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		count += v != 0.0f;
		where = v != 0.0f ? (ushort)c : where;
		one = v != 0.0f ? v : one;
		s = fma(v, v, s);
	}
	const float d = sqrt(s / (float)cols + eps);
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, at + c);
		if (count == 1)
			v = c == where ? one : 0.0f;
		kf_store(out, to + c, v / d * kf_load(weight, c));
	}
}
