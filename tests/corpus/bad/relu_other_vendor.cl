// entry: k
// global: rows * cols
// local: 1
// want: refused -
// One vendor's compiler sees another kernel.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = v < 0.0f ? 0.0f : v;
#ifdef __NV_CL_C_VERSION
	y = v > 0.0f ? v : 0.0f;
#endif
	kf_store(out, r * out_stride + c, y);
}
