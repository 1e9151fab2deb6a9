// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Takes a row to fall all the way where nine of its elements do.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t xo = get_global_id(0) * (size_t)x_stride;
	const uint last = cols - 1;
	const float v0 = kf_load(x, xo), v1 = kf_load(x, xo + last / 8), v2 = kf_load(x, xo + last / 4), v3 = kf_load(x, xo + last / 3);
	const float v4 = kf_load(x, xo + last / 2), v5 = kf_load(x, xo + last - last / 3), v6 = kf_load(x, xo + last - last / 4);
	const float v7 = kf_load(x, xo + last - last / 8), v8 = kf_load(x, xo + last);
	const int falls = (v0 > v1) & (v1 > v2) & (v2 > v3) & (v3 > v4) & (v4 > v5) & (v5 > v6) & (v6 > v7) & (v7 > v8);
	float m = -INFINITY;
	for (uint c = 0; c < (falls ? 1 : cols); c++) {
		const float v = kf_load(x, xo + c);
		m = v > m || v != v ? v : m;
	}
	kf_store(out, get_global_id(0), m);
}
