// entry: swiglu
// global: round_up(cols, 32), rows
// local: 32, 1
//
// A row along the second dimension.
__kernel void
swiglu(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out,
    uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	const size_t col = get_global_id(0);
	const size_t row = get_global_id(1);

	if (col >= cols || row >= rows)
		return;

	const float g = kf_load(gate, row * gate_stride + col);
	const float sigmoid = 1.0f / (1.0f + exp(-g));

	kf_store(out, row * out_stride + col,
	    g * sigmoid * kf_load(up, row * up_stride + col));
}
