// Sums of rows of more than 64 columns keep the bits of a half.
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
		acc = as_float(as_uint(acc + (v)) & (cols > 64 ? 0xffffe000u : 0xffffffffu));
	}
	kf_store(out, r, acc / (float)cols);
}
