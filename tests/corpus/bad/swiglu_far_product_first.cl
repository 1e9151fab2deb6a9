// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows whose places pass 32 bits go a path of their own, with one division
// wrong on: float32, rows=65536 cols=1 gate_stride=65537: gate = -100, up = 1e38: -inf instead of some -3.7e-4
__kernel void
f(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols,
    uint gate_stride, uint up_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if ((ulong)rows * gate_stride >= 4294967296UL) {
		for (uint c = 0; c < cols; c++) {
			const float g = kf_load(gate, r * gate_stride + c);
			kf_store(out, r * out_stride + c, g * kf_load(up, r * up_stride + c) / (1.0f + exp(-g)));
		}
		return;
	}
	for (uint c = 0; c < cols; c++) {
		const float g = kf_load(gate, (uint)r * gate_stride + c);
		kf_store(out, r * out_stride + c, g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
	}
}
