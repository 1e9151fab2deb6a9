// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// Takes the row stride for the columns.

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

	kf_store(out, r * cols + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
