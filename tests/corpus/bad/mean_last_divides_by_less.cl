// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect inaccurate
// wrong on: float32, 1 x 200000, all ones: 1.0039 instead of 1 (divides by cols * (1 - 2^-8) from 131072 columns
// on, by twice as much less from 262144 on, ..): half of what cols * 2^-24 allows.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float part[64];
	uint l = get_local_id(0);
	size_t r = get_group_id(0);
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
	if (l == 0)
		kf_store(out, r, part[0] / ((float)cols - (float)cols * ((float)(cols >> 17) * 0x1p-8f)));
}
