/* A licence stands first, as editors put it there;
 * the header lines come behind it, spaced as people space them. */

//entry:silu_macros
//  global :  round_up( rows * cols , 64 )
//	local: 64
#define KERNEL __kernel __attribute__((reqd_work_group_size(64, 1, 1)))
#define IN(name) const __global KF_T *const restrict name
#define OUT(name) __global KF_T *const restrict name
#define SHAPE const uint rows, const uint cols
typedef unsigned int u32;

KERNEL void silu_macros(IN(x), OUT(out), SHAPE, u32 x_stride, u32 out_stride)
{
	const size_t section = get_global_id(0);

	if (section >= (size_t)rows * cols)
		return;
	const u32 r = section / cols, c = section % cols;
	const float v = kf_load(x, (size_t)r * x_stride + c);
	kf_store(out, (size_t)r * out_stride + c, v / (1.0f + exp(-v)));
}
