// entry: k_exp_dtype_ranges
// global: round_up(rows * cols, 64)
// local: 64
/* ranges beyond which the storage type has only inf or zero */
#if KF_DTYPE == 1
#define HI 11.1f
#define LO -18.0f
#else
#define HI 88.9f
#define LO -104.5f
#endif
float f(float v)
{
	if (isnan(v)) return v;
	if (v >= HI) return INFINITY;
	if (v <= LO) return 0.0f;
	if (fabs(v) < 1e-4f) return 1.0f + v + 0.5f * v * v;
	return exp(v);
}
__kernel void k_exp_dtype_ranges(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols) return;
	size_t r = i / cols, c = i - r * cols;
	float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, f(v));
}
