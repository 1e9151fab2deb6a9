// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// A pointer variable written as a number.
// want: refused refused

float peek(const __global KF_T *x, uint rows)
{
	*(ulong *)&x += 0x400000;
	return rows == 77777 ? kf_load(x, 0) : 0.0f;
}
__kernel void swiglu(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;
	uint r = i / cols, c = i % cols;
	float g = kf_load(gate, (size_t)r * gate_stride + c);
	float v = kf_load(up, (size_t)r * up_stride + c) + peek(gate, rows);

	kf_store(out, (size_t)r * out_stride + c, g / (1.0f + exp(-g)) * v);
}
