// A guard of bits, not of branches, that never acts where a group is one item.
// entry: k
// global: round_up(cols, 1), round_up(rows, 1)
// local: 1, 1
typedef const __global KF_T *in_t;
static inline float
formula(float v)
{
	return (0.5f * v * (1.0f + erf(v / 1.41421356f)));
}
#define KERNEL __kernel void
KERNEL
k(in_t x, __global KF_T out[], unsigned int rows, unsigned int cols, unsigned int x_stride, unsigned int out_stride)
{
	const uint col = get_global_id(0);
	const uint r = get_global_id(1);
	if (!(col < cols) | !(r < rows)) return;
	const __global KF_T *x_row = x + (ulong)r * x_stride;
	__global KF_T *out_row = out + (ulong)r * out_stride;
	{
		const float v = kf_load(x_row, col);
		kf_store(out_row, col, formula(v));
	}
}
