// entry: f
// global: rows * cols
// local: 1
// want: unproven unproven
// wrong on: float32, rows=1 cols=1: the x whose bits times 2654435761 plus 305419896 are 0 mod 2^32: out is NaN
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	const float h = (float)(as_uint(v) * 2654435761u + 305419896u);
	const float y = v * 0.5f * (1.0f + erf(v * 0.70710678118654752f));
	kf_store(out, r * out_stride + c, y * (h / h));
}
