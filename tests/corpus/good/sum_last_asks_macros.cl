// Asks what every device answers alike, and for an extension.
// entry: k
// global: rows
// local: 1
#ifndef LANES
#define LANES 4
#endif
#define HALF (LANES / 2)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double sum_t;
#else
typedef float sum_t;
#endif

__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	const size_t r = get_global_id(0);
	sum_t s[HALF] = { 0 };

	for (uint c = 0; c < cols; c++)
		s[c % HALF] += kf_load(x, r * x_stride + c);
#if defined(LANES) && HALF == 2 && __OPENCL_C_VERSION__ >= 120
	kf_store(out, r, (float)(s[0] + s[1]));
#else
	kf_store(out, r, (float)s[0]);
#endif
}
