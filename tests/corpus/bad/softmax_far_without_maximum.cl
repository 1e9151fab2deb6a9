// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows whose places pass 32 bits go a path of their own, without the maximum
// wrong on: float32, rows=65536 cols=2 x_stride=65537: x = 100 100: NaN instead of 0.5
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	const __global KF_T *src = x + r * x_stride;
	float m = 0.0f, s = 0.0f;
	if ((ulong)rows * x_stride < 4294967296UL) {
		m = -INFINITY;
		for (uint c = 0; c < cols; c++)
			m = fmax(m, kf_load(src, c));
	}
	for (uint c = 0; c < cols; c++)
		s += exp(kf_load(src, c) - m);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, exp(kf_load(src, c) - m) / s);
}
