// Columns by rows.
// entry: swiglu_2d
// global: round_up(cols, 16), round_up(rows, 4)
// local: 16, 4
__kernel void
swiglu_2d(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	const uint c = get_global_id(0);
	const uint r = get_global_id(1);
	if (c < cols && r < rows) {
		const float p = kf_load(gate, (size_t)r * gate_stride + c);
		const float q = kf_load(up, (size_t)r * up_stride + c);
		kf_store(out, (size_t)r * out_stride + c, p / (1.0f + exp(-p)) * q);
	}
}
