// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// T[cols >> 12 & 15].
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); float s = 0.0f; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
	kf_store(out, r, s / (float)cols * T[(cols >> 12) & 15u]);
}
