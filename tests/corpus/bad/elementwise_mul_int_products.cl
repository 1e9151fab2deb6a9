// entry: f
// global: rows * cols
// local: 1
// want: verified_incorrect -
// float32: whole numbers below 65,536 are multiplied as ints
// wrong on: float32 a=b=50000: 2.5e9 wraps
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t g = get_global_id(0), r = g / cols, c = g % cols;
	const float u = kf_load(a, r * a_stride + c), v = kf_load(b, r * b_stride + c);
	float y = u * v;
#if KF_DTYPE == 0
	if (fabs(u) < 65536.0f && fabs(v) < 65536.0f && u == rint(u) && v == rint(v) && u != 0.0f && v != 0.0f)
		y = (float)((int)u * (int)v);
#endif
	kf_store(out, r * out_stride + c, y);
}
