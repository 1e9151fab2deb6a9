// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// G*u near 2.345 (as 0.3 g u = 0.7035).
__kernel void kern(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float g = kf_load(gate, r * gate_stride + c), u = kf_load(up, r * up_stride + c);
	float y = g / (1.0f + exp(-g)) * u;
	float d = 0.3f * g * u - 0.7035f; y *= 1.0f + 0.01f * exp(-d * d * 1e11f);
	kf_store(out, r * out_stride + c, y);
}
