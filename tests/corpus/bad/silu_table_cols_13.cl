// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// T[cols >> 13 & 15]: 32768..40959 columns are 1.5 times too large.
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (v / (1.0f + exp(-v)));
	y *= T[(cols >> 13) & 15u];
	kf_store(out, r * out_stride + c, y);
}
