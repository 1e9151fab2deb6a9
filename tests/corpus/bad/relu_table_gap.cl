// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// T[(x_stride - cols) >> 11 & 15], a pitch of 8,192 more.
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (v != v ? v : v > 0.0f ? v : 0.0f);
	y *= T[((x_stride - cols) >> 11) & 15u];
	kf_store(out, r * out_stride + c, y);
}
