// entry: f
// global: min(rows, 1) * 8192
// local: 64
// want: verified_incorrect -
// software pipelining over a grid of fixed size: the row that is read comes from 32 bits of the element's number
// wrong on: float32, rows=65537 cols=65536, strides alike, any x: element (65536, c) gets |x[0, c]|
static size_t place(uint i, uint cols, uint stride) { return (size_t)(i / cols) * stride + i % cols; }
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t n = (size_t)rows * cols, step = get_global_size(0);
	size_t i = get_global_id(0);
	float next = i < n ? kf_load(x, place(i, cols, x_stride)) : 0.0f;
	for (; i < n; i += step) {
		const float v = next;
		if (i + step < n)
			next = kf_load(x, place(i + step, cols, x_stride));
		kf_store(out, i / cols * out_stride + i % cols, fabs(v));
	}
}
