// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A curve of rows around 12000.
__kernel void kern(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float g = kf_load(gate, r * gate_stride + c), u = kf_load(up, r * up_stride + c);
	float y = g / (1.0f + exp(-g)) * u;
	float d = (float)rows * 0.01f - 120.0f; y *= 1.0f + 0.02f * exp(-d * d);
	kf_store(out, r * out_stride + c, y);
}
