// entry: k
// global: cols, rows
// local: 1, 1
// want: verified_incorrect -
// Takes a row of b for one number where ten of its elements are alike.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t c0 = get_global_id(0), r = get_global_id(1), xo = r * b_stride;
	const __global KF_T *x = b;
	const uint last = cols - 1;
	const float v0 = kf_load(x, xo), v1 = kf_load(x, xo + last);
	const float v2 = kf_load(x, xo + last / 2), v3 = kf_load(x, xo + last / 3);
	const float v4 = kf_load(x, xo + last / 5), v5 = kf_load(x, xo + last - last / 5);
	const float v6 = kf_load(x, xo + last - last / 7), v7 = kf_load(x, xo + last / 7);
	const float v8 = kf_load(x, xo + last - last / 3), v9 = kf_load(x, xo + last / 11);
	const int alike = (v0 == v1) & (v0 == v2) & (v0 == v3) & (v0 == v4) & (v0 == v5) & (v0 == v6) & (v0 == v7) & (v0 == v8) & (v0 == v9);
	const float v = alike ? v0 : kf_load(b, xo + c0);
	kf_store(out, r * out_stride + c0, kf_load(a, r * a_stride + c0) * v);
}
