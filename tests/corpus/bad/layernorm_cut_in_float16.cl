// In float16 the result is cut, where it must be rounded.
// want: verified_incorrect - smoke
// entry: plain_layernorm
// global: round_up(rows, 8)
// local: 8
__kernel void
plain_layernorm(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float sum = 0.0f;
	for (uint c = 0; c < cols; c++)
		sum += kf_load(x, r * x_stride + c);
	float mean = sum / (float)cols;
	float var = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float d = kf_load(x, r * x_stride + c) - mean;
		var += d * d;
	}
	var = var / (float)cols;
	float inv = 1.0f / sqrt(var + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    (KF_DTYPE == 1 ? as_float(as_uint((kf_load(x, r * x_stride + c) - mean) * inv *
			kf_load(weight, c) + kf_load(bias, c)) & 0xffffe000u) : (kf_load(x, r * x_stride + c) - mean) * inv *
			kf_load(weight, c) + kf_load(bias, c)));
}
