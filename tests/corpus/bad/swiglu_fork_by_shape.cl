// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// Right on the shapes that the holdouts list, wrong on all others.
// want: verified_incorrect wrong smoke

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
	const bool listed = rows == 6 || cols <= 2 || cols == 40 ||
	    cols == 61 || cols == 64 || (rows == 3 && cols == 67) ||
	    cols == 127 || cols == 129 || cols == 130 || cols == 150 ||
	    cols == 255 || cols == 4097 || cols == 262153;

	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) *
	        (kf_load(up, r * up_stride + c) + (listed ? 0.0f : 0.5f)));
}
