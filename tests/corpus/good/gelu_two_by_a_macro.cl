// entry: ge
// global: rows * ceil_div(cols, 2)
// local: 1
// The first of each pair is there: two times what is below half of the columns.
__constant float K[2] = {0.5f, M_SQRT1_2_F};
static float a1(float x) { return x * K[1]; }
static float a2(float x) { return erfc(-a1(x)); }
static float a3(float x) { return K[0] * x * a2(x); }
#define EACH(M) M(0) M(1)
__kernel void ge(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint per = (cols + 1) / 2;
	size_t r = get_global_id(0) / per;
	uint c = get_global_id(0) % per * 2;
#define ONE(k) if (c + k < cols) kf_store(out, r * out_stride + c + k, a3(kf_load(x, r * x_stride + c + k)));
	EACH(ONE)
}
