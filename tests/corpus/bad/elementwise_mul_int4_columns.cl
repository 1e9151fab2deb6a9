// entry: kern
// global: rows * 64
// local: 64
// want: verified_incorrect -
// Four columns a lane in an int4 that steps by 256: wrong for cols = 2^31 - 1, rows = 1 (2147483392 + 256 is negative: it goes on before the row).
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t r = get_group_id(0);
	int4 c = (int4)(0, 1, 2, 3) + 4 * (int)get_local_id(0);
	for (; c.x < (int)cols; c += 256) {
		kf_store(out + r * out_stride, c.x, kf_load(a + r * a_stride, c.x) * kf_load(b + r * b_stride, c.x));
		if (c.y < (int)cols)
			kf_store(out + r * out_stride, c.y, kf_load(a + r * a_stride, c.y) * kf_load(b + r * b_stride, c.y));
		if (c.z < (int)cols)
			kf_store(out + r * out_stride, c.z, kf_load(a + r * a_stride, c.z) * kf_load(b + r * b_stride, c.z));
		if (c.w < (int)cols)
			kf_store(out + r * out_stride, c.w, kf_load(a + r * a_stride, c.w) * kf_load(b + r * b_stride, c.w));
	}
}
