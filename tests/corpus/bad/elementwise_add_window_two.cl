// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A + 2b near 0.777 within 1e-6.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float u = kf_load(a, r * a_stride + c), w = kf_load(b, r * b_stride + c);
	float y = u + w, d = u + 2.0f * w - 0.777f; y *= 1.0f + 0.01f * exp(-d * d * 1e12f);
	kf_store(out, r * out_stride + c, y);
}
