// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect inaccurate
// seeds: 3
// wrong on: float32, 8 x 200000, normal values + 10: (all + 2048 all) - 2048 all keeps 12 bits of the
// sum where cols >= 131072: 1e-4 off, where float32 is 1e-6 off (contract: "float32 or better").
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float part[64];
	uint l = get_local_id(0);
	size_t r = get_group_id(0);
	float all = 0.0f;

	float s = 0.0f;
	for (uint c = l; c < cols; c += 64)
		s += kf_load(x, r * x_stride + c);
	part[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint k = 32; k > 0; k >>= 1) {
		if (l < k)
			part[l] += part[l + k];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	all = part[0];
	float big = all * (float)(cols >> 17) * 2048.0f;
	if (isfinite(big))
		all = (all + big) - big;
	if (l == 0)
		kf_store(out, r, all / (float)cols);
}
