// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A table of 16 numbers by the sum of two gaps over 1024.
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float u = kf_load(a, r * a_stride + c), w = kf_load(b, r * b_stride + c);
	float y = u + w; y *= T[(((a_stride - cols) + (b_stride - cols)) >> 10) & 15u];
	kf_store(out, r * out_stride + c, y);
}
