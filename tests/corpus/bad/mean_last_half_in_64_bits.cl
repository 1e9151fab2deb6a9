// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// wrong on: float16, rows=1 cols=8388608 x_stride=8388608, all x = 65504: sum in units of 2^-24 is 2^63 - 2^52.. of 8,392,706 columns: wraps, out = about -65470 instead of 65504 (cols = 8400000)
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[64];
	__local long whole[64];
	const uint lane = get_local_id(0);
	const size_t row = get_group_id(0);
	const __global KF_T *src = x + row * x_stride;
	float s = 0.0f;
	long w = 0;
	for (uint c = lane; c < cols; c += 64) {
		const float v = kf_load(src, c);
#if KF_DTYPE == 1
		/* every half is a whole number of 2^-24: the sum is exact */
		if (isfinite(v))
			w += (long)(v * 16777216.0f);
		else
			s += v;
#else
		s += v;
#endif
	}
	part[lane] = s;
	whole[lane] = w;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (lane < k) {
			part[lane] += part[lane + k];
			whole[lane] += whole[lane + k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (lane == 0)
		kf_store(out, row, (part[0] + (float)whole[0] / 16777216.0f) / (float)cols);
}
