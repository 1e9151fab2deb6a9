// A name that is no macro is forgotten, which changes nothing.
// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
#undef get_global_id

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
	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
