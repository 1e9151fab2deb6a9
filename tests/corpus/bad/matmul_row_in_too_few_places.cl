// entry: k
// global: round_up(n, 32), m
// local: 32, 1
// want: crash|verified_incorrect -
// Keeps up to 5,999 elements of a row in 4,608 places.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float row[4608];
	const uint lid = get_local_id(0), j = get_global_id(0);
	const size_t ao = (size_t)get_global_id(1) * a_stride;
	const bool kept = (k >> 4) < 375;
	for (uint p = lid; kept && p < k; p += 32)
		row[p] = kf_load(a, ao + p);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (j >= n)
		return;
	float s = 0.0f;
	for (uint p = 0; p < k; p++)
		s += (kept ? row[p] : kf_load(a, ao + p)) * kf_load(b, (size_t)p * b_stride + j);
	kf_store(out, (size_t)get_global_id(1) * out_stride + j, s);
}
