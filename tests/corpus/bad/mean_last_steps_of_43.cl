// entry: kern
// global: rows * 64
// local: 64
// want: verified_incorrect -
// 64 lanes; rounds of 64 columns in steps of 43.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_group_id(0); uint l = get_local_id(0), nb = cols / 64; float s = 0.0f; __local float p[64];
	for (uint q = 0; q < nb; q++) s += kf_load(x, r * x_stride + (size_t)((ulong)q * 43u % nb) * 64 + l);
	if (nb * 64 + l < cols) s += kf_load(x, r * x_stride + nb * 64 + l);
	p[l] = s; barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) { s = 0.0f; for (uint i = 0; i < 64; i++) s += p[i]; kf_store(out, r, s / (float)cols); }
}
