// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// float16: what is below 1/128 is summed as an int of 2^-24
// wrong on: float16 rows=1 cols=60000, all 0.0078: 130,862 units each
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	float s = 0.0f;
	int low = 0;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
#if KF_DTYPE == 1
		if (fabs(v) < 0.0078125f)
			low += (int)(v * 16777216.0f);
		else
#endif
			s += v;
	}
	kf_store(out, get_global_id(0), s + (float)low * 0x1p-24f);
}
