// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Blocks of 16 columns in steps of 59.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, a = i % cols; size_t nb = cols / 16; size_t q = a / 16; size_t c = q < nb ? (q * 59) % nb * 16 + a % 16 : a;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (1.0f / (1.0f + exp(-v)));
	
	kf_store(out, r * out_stride + c, y);
}
