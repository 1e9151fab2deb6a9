// Plain `inline` helpers, without static: C99 gives them no body elsewhere.
// entry: relu_inline
// global: round_up(rows * cols, 64)
// local: 64
inline float relu1(float v) { return isnan(v) ? v : fmax(v, 0.0f); }
__inline size_t at(uint r, uint c, uint stride) { return (size_t)r * stride + c; }
__inline__ bool inside(size_t i, uint rows, uint cols) { return i < (size_t)rows * cols; }
extern inline float negated(float v);
inline float negated(float v) { return -v; }

__kernel void
relu_inline(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);

	if (!inside(i, rows, cols))
		return;
	uint r = i / cols, c = i % cols;
	kf_store(out, at(r, c, out_stride),
	    negated(-relu1(kf_load(x, at(r, c, x_stride)))));
}
