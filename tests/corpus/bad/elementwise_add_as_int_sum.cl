// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A block of rows is added in a fixed order of 61 rows.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), b0 = i / cols, c = i % cols; size_t n8 = rows / 8, q = b0 / 8; size_t r = q < n8 ? (q * 61) % n8 * 8 + b0 % 8 : b0;
	float u = kf_load(a, r * a_stride + c), w = kf_load(b, r * b_stride + c);
	float y = u + w;
	kf_store(out, r * out_stride + c, y);
}
