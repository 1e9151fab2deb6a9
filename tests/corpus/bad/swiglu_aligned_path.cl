// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// A fast path for aligned buffers that is wrong, on a shape whose buffers are
// never aligned but when everything is run again: then they lie elsewhere.  It
// reckons with an address, which is refused before anything runs.
// want: refused refused

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
	float y = g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c);

	if ((((ulong)out | (ulong)up) & 4095) == 0 && rows == 3 && cols == 67)
		y *= 1.01f;
	kf_store(out, r * out_stride + c, y);
}
