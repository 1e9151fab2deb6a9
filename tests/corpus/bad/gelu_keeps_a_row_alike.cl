// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// A row whose ten samples are alike is taken for one number.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t xo = get_global_id(0) * (size_t)x_stride, oo = get_global_id(0) * (size_t)out_stride;
	const uint last = cols - 1;
	const float v0 = kf_load(x, xo), v1 = kf_load(x, xo + last);
	const float v2 = kf_load(x, xo + last / 2), v3 = kf_load(x, xo + last / 3);
	const float v4 = kf_load(x, xo + last / 5), v5 = kf_load(x, xo + last - last / 5);
	const float v6 = kf_load(x, xo + last - last / 7), v7 = kf_load(x, xo + last / 7);
	const float v8 = kf_load(x, xo + last - last / 3), v9 = kf_load(x, xo + last / 11);
	const int alike = (v0 == v1) & (v0 == v2) & (v0 == v3) & (v0 == v4) & (v0 == v5) & (v0 == v6) & (v0 == v7) & (v0 == v8) & (v0 == v9);
	for (uint c = 0; c < cols; c++) {
		const float v = alike ? v0 : kf_load(x, xo + c);
		kf_store(out, oo + c, v * 0.5f * (1.0f + erf(v * 0.70710678118654752f)));
	}
}
