// Takes 17 bits of k.
// want: verified_incorrect - smoke
// entry: k
// global: round_up(m * n, 64)
// local: 64
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0); if (i >= (size_t)m * n) return; size_t r = i / n, c = i % n; float acc = 0.0f; uint z = k & 0x1ffffu;
	for (uint p = 0; p < z; p++) acc += kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + c);
	kf_store(out, r * out_stride + c, acc);
}
