// entry: kern
// global: rows * cols
// local: 1
// want: unproven -
// 0/0 where 1.7a - 0.3b = 0.11.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float u = kf_load(a, r * a_stride + c), w = kf_load(b, r * b_stride + c);
	float y = u * w, d = u * 1.7f - w * 0.3f - 0.11f; y *= d != d || isinf(d) || y != y || isinf(y) ? 1.0f : d / d;
	kf_store(out, r * out_stride + c, y);
}
