// entry: kern
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// K in blocks of 32, in steps of 29.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	size_t j = get_global_id(0), i = get_global_id(1); float s = 0.0f; uint nb = k / 32;
	for (uint q = 0; q < nb; q++) { uint p0 = (uint)((ulong)q * 29u % nb) * 32; for (uint p = p0; p < p0 + 32; p++) s += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j); }
	for (uint p = nb * 32; p < k; p++) s += kf_load(a, i * a_stride + p) * kf_load(b, (size_t)p * b_stride + j);
	kf_store(out, i * out_stride + j, s);
}
