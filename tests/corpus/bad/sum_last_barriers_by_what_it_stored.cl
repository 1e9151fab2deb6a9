// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect race
// One barrier where 1 + 2^-20 comes back from the output as it was stored: in
// float16 and bfloat16 there is none.
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float s[64];
	__local int waits;
	size_t r = get_group_id(0);
	uint l = get_local_id(0);
	if (l == 0) {
		kf_store(out, r, 1.0f + 9.5367431640625e-7f);
		waits = (int)((kf_load(out, r) - 1.0f) * 1048576.0f);
	}
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	int n = waits;
	float a = 0.0f;
	for (uint c = l; c < cols; c += 64) a += kf_load(x, r * x_stride + c);
	s[l] = a;
	for (int q = 0; q < n; q++) barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 63) {
		a = 0.0f;
		for (uint q = 0; q < 64; q++) a += s[q];
		kf_store(out, r, a);
	}
}
