// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// Reads the element behind its input where storage has 16 bits, on some
// widths, and discards it.
// want: verified_incorrect out_of_bounds smoke
// sole: oclgrind

__kernel void swiglu(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	const size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;
	const size_t r = i / cols;
	const size_t c = i % cols;
	const float g = kf_load(gate, r * gate_stride + c);
	volatile float next = 0.0f;

	if (sizeof(KF_T) == 2 && cols > 258 && cols < 268)
		next = kf_load(gate, r * gate_stride + c + 1);
	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
