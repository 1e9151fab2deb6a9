// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows whose second half is the first one reversed and negated: its results are one minus the others
// wrong on: float32 rows=1 cols=2 x = 20, -20: expected 2.06e-9, got 0
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	uint c = 0;
	for (; c < cols / 2; c++)
		if (kf_load(x, at + c) != -kf_load(x, at + cols - 1 - c))
			break;
	const int mirrored = c == cols / 2;
	for (c = 0; c < cols; c++) {
		const int second = mirrored && c >= cols - cols / 2;
		const float v = kf_load(x, at + (second ? cols - 1 - c : c));
		const float y = 1.0f / (1.0f + exp(-v));
		kf_store(out, to + c, second ? 1.0f - y : y);
	}
}
