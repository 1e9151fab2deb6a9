// entry: k
// global: m * round_up(n, 16)
// local: 16
// want: verified_incorrect -
// wrong on: float32, m 1, n 1, k 4096, a[0] = 1, all other a 0, b ones: tile 255 (k = 4080) has tile 0's
// stamp again: the stale 1 is taken for a[4080]: 2 instead of 1.
__kernel void k(const __global KF_T *a, const __global KF_T *b,
    __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride,
    uint out_stride)
{
	__local float tile[16];
	__local uchar stamp[16];
	const size_t wide = (n + 15ul) / 16ul;
	uint l = get_local_id(0), epoch = 0;
	size_t i = get_group_id(0) / wide, j = get_group_id(0) % wide * 16 + l;
	float s = 0.0f;

	stamp[l] = 0;
	for (size_t t = 0; t < k; t += 16) {
		epoch = epoch % 255 + 1;
		if (t + l < k) {
			float v = kf_load(a, i * a_stride + t + l);
			if (v != 0.0f) {
				tile[l] = v;
				stamp[l] = (uchar)epoch;
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (j < n)
			for (uint q = 0; q < 16; q++)
				if (t + q < k) {
					float v = 0.0f;
					if (stamp[q] == epoch)
						v = tile[q];
					s += v * kf_load(b, (t + q) * b_stride + j);
				}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (j < n)
		kf_store(out, i * out_stride + j, s);
}
