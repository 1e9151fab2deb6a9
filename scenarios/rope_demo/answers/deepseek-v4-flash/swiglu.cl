// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// One work item an element.
__kernel void
swiglu(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out,
    uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	const size_t item = get_global_id(0);

	if (item >= (size_t)rows * cols)
		return;

	const size_t row = item / cols;
	const size_t col = item % cols;
	const float g = kf_load(gate, row * gate_stride + col);
	const float u = kf_load(up, row * up_stride + col);

	kf_store(out, row * out_stride + col, g / (1.0f + exp(-g)) * u);
}
