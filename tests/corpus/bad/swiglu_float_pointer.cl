// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// Reads storage as float: right in float32 only.
// want: verified_incorrect -

__kernel void swiglu(const __global float *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	const size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;
	const size_t r = i / cols;
	const size_t c = i % cols;
	const float g = gate[r * gate_stride + c];

	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
