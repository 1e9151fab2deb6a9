// entry: swiglu_rows
// global: min(pow2_ceil(cols), 128), rows
// local: min(pow2_ceil(cols), 128), 1
//
// One work group a row, as wide as the row up to 128 items, which stride over
// what is left.

__kernel void swiglu_rows(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	const size_t r = get_group_id(1);

	for (uint c = get_local_id(0); c < cols; c += get_local_size(0)) {
		float g = kf_load(gate, r * gate_stride + c);
		float s = g / (1.0f + exp(-g));

		kf_store(out, r * out_stride + c,
		    s * kf_load(up, r * up_stride + c));
	}
}
