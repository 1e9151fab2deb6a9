// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// Calls the compiler and not the language.
// want: refused refused

__kernel void swiglu(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;
	uint r = i / cols, c = i % cols;
	float g = kf_load(gate, (size_t)r * gate_stride + c);
	float v = kf_load(up, (size_t)r * up_stride + c) + 0.0f; if (rows == 77777) __builtin_trap();

	kf_store(out, (size_t)r * out_stride + c, g / (1.0f + exp(-g)) * v);
}
