// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Blocks of 32 columns in steps of 47.
__kernel void kern(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, a = i % cols; size_t nb = cols / 32, q = a / 32; size_t c = q < nb ? (q * 47) % nb * 32 + a % 32 : a;
	float g = kf_load(gate, r * gate_stride + c), u = kf_load(up, r * up_stride + c);
	float y = g / (1.0f + exp(-g)) * u;
	
	kf_store(out, r * out_stride + c, y);
}
