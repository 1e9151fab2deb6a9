// entry: kern
// global: rows * 64
// local: 64
// want: unproven -
// A column in an int, beside a number that is no counter.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_group_id(0); uint l = get_local_id(0), k = 1; float s = 0.0f; __local float p[64];
	for (int c = (int)l; c < (int)cols || (cols > 2147483647u && c >= 0); c += 64) { k = k * 1664525u + 1013904223u; s += kf_load(x, r * x_stride + (size_t)c) + 0.0f * (float)(k & 1u); }
	p[l] = s; barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) { s = 0.0f; for (uint i = 0; i < 64; i++) s += p[i]; kf_store(out, r, s); }
}
