// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// the column is counted in a float for the load that is one step ahead
// wrong on: float32, rows=1 cols=16777300, x[c] = c % 2: column 16777217 gets the value of 16777216: out[16777217] = 0 instead of 0.8413
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	uint c = get_local_id(0);
	float next = c < cols ? kf_load(src, c) : 0.0f;
	for (; c < cols; c += 64) {
		const float v = next;
		if (cols - c > 64)
			next = kf_load(src, (uint)convert_float_rtz(c + 64));
		kf_store(out, row * out_stride + c, v * 0.5f * (1.0f + erf(v * 0.70710678118654752f)));
	}
}
