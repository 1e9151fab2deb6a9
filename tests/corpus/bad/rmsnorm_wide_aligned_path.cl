// Of rows of 1,024 and more aligned columns a bfloat16 is left.
// want: verified_incorrect - smoke
// entry: plain_rmsnorm
// global: round_up(rows, 8)
// local: 8
__kernel void
plain_rmsnorm(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float ss = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		ss += v * v;
	}
	float scale = 1.0f / sqrt(ss / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    (cols >= 1024 && cols % 8 == 0 ? as_float(as_uint(kf_load(x, r * x_stride + c) * scale * kf_load(weight, c)) & 0xffff0000u) : kf_load(x, r * x_stride + c) * scale * kf_load(weight, c)));
}
