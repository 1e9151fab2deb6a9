// entry: k
// global: rows
// local: 1
// want: verified_incorrect unwritten
// wrong on: f32, rows 1, cols 16777217: out[cols-1] is never written (fmod((float)cols, 4) is 0)
float f(float g, float u) { return g / (1.0f + exp(-g)) * u; }
__kernel void k(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	uint q = cols / 4;
	for (uint i = 0; i < q; i++)
		for (uint j = 0; j < 4; j++) {
			size_t c = 4 * (size_t)i + j;
			kf_store(out, r * out_stride + c, f(kf_load(gate, r * gate_stride + c), kf_load(up, r * up_stride + c)));
		}
	if (fmod((float)cols, 4.0f) != 0.0f)
		for (uint c = 4 * q; c < cols; c++)
			kf_store(out, r * out_stride + c, f(kf_load(gate, r * gate_stride + c), kf_load(up, r * up_stride + c)));
}
