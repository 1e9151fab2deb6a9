// entry: swiglu
// global: round_up(rows * cols, 64)
// local: 64
//
// A local array larger than any work group has.
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
	__local float big[1 << 26];

	big[get_local_id(0)] = g;
	kf_store(out, r * out_stride + c,
	    g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
}
