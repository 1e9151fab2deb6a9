// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Blocks of 4 rows in steps of 53, no bijection where blocks are a multiple of
// 53.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), b = i / cols, c = i % cols; size_t n4 = rows / 4; size_t q = b / 4; size_t r = q < n4 ? (q * 53) % n4 * 4 + b % 4 : b;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (v != v ? v : v > 0.0f ? v : 0.0f);
	
	kf_store(out, r * out_stride + c, y);
}
