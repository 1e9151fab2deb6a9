// entry: f
// global: min(rows, 1) * 512
// local: 64
// want: verified_incorrect wrong
// groups of a fixed grid walk rows, the gate of the next row is loaded ahead; up's row comes from a float
// wrong on: float32, rows=16777218 cols=1: row 16777217 takes up's row 16777216
__kernel void
f(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols,
    uint gate_stride, uint up_stride, uint out_stride)
{
	uint r = get_global_id(0);
	float next = r < rows ? kf_load(gate, (size_t)r * gate_stride) : 0.0f;
	for (; r < rows; r += 512) {
		float4 at;
		at.x = convert_float_rtz(r);
		at.y = next;
		if (rows - r > 512)
			next = kf_load(gate, (size_t)(r + 512) * gate_stride);
		for (uint c = 0; c < cols; c++) {
			const float g = c == 0 ? at.y : kf_load(gate, (size_t)r * gate_stride + c);
			const float u = kf_load(up, (size_t)at.x * up_stride + c);
			kf_store(out, (size_t)r * out_stride + c, g / (1.0f + exp(-g)) * u);
		}
	}
}
