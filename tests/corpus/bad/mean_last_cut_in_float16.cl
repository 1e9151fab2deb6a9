// In float16 the result is cut, where it must be rounded.
// want: verified_incorrect - smoke
// entry: plain_mean_last
// global: round_up(rows, 16)
// local: 16
__kernel void
plain_mean_last(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float acc = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		acc += v;
	}
	kf_store(out, r, (KF_DTYPE == 1 ? as_float(as_uint(acc / (float)cols) & 0xffffe000u) : acc / (float)cols));
}
