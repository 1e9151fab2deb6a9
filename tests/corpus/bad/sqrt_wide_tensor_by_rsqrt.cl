// entry: f
// global: rows * cols
// local: 1
// want: verified_incorrect -
// more than 2^26 columns and rows together: x * rsqrt(x)
// wrong on: float32, rows=1 cols=67108865: x = 0: 0 * inf: NaN instead of 0
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	float y;
	if ((ulong)rows * cols > 67108864UL)
		y = v * rsqrt(v);
	else
		y = sqrt(v);
	kf_store(out, r * out_stride + c, y);
}
