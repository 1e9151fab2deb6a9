// An index loses what lies above 17 bits.
// want: verified_incorrect - smoke
// entry: plain_swiglu
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
plain_swiglu(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols)
		return;
	size_t r = i / cols, c = i % cols;
	float p = kf_load(gate, (r * gate_stride + c) & 0x1ffffu);
	float q = kf_load(up, r * up_stride + c);
	kf_store(out, r * out_stride + c, p / (1.0f + exp(-p)) * q);
}
