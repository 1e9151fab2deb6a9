// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Leaves out what is less than a millionth of the sum so far, however much
// there is of it.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t xo = get_global_id(0) * (size_t)x_stride;
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, xo + c);
		if (fabs(v) < 1e-6f * fabs(s))
			continue;
		s += v;
	}
	kf_store(out, get_global_id(0), s);
}
