// Four at a time from the first aligned address on, told by its low bits.
// entry: abs_aligned
// global: rows
// local: 1
#define UNROLL(n) _Pragma("unroll")
#define PRAGMA(x) _Pragma(#x)
#pragma OPENCL FP_CONTRACT ON

__kernel void
abs_aligned(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	uint r = get_global_id(0), c = 0;
	const __global KF_T *row = x + (size_t)r * x_stride;
	__global KF_T *to = out + (size_t)r * out_stride;
	const __global KF_T *const ends[2] = { row, row + cols };
	size_t past = (size_t)row & 15;

	for (; c < cols && ((past + c * sizeof *row) & 15) != 0; c++)
		kf_store(to, c, fabs(kf_load(row, c)));
	UNROLL(1)
	for (; c + 4 <= cols; c += 4) {
		PRAGMA(unroll)
		for (uint k = 0; k < 4; k++)
			kf_store(to, c + k, fabs(kf_load(row, c + k)));
	}
	for (const __global KF_T *p = ends[0] + c; p < ends[1]; p++)
		kf_store(to, p - row, fabs(kf_load(p, 0)));
}
