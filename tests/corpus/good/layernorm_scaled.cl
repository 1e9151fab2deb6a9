// One work item a row; scale and shift are folded into two factors a row.
// entry: layernorm_scaled
// global: round_up(rows, 16)
// local: 16
__kernel void
layernorm_scaled(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const __global KF_T *src = x + r * x_stride;
	__global KF_T *dst = out + r * out_stride;
	float sum = 0.0f, squares = 0.0f;
	for (uint c = 0; c < cols; c++)
		sum += kf_load(src, c);
	const float mean = sum / (float)cols;
	for (uint c = 0; c < cols; c++) {
		const float d = kf_load(src, c) - mean;
		squares = fma(d, d, squares);
	}
	const float scale = 1.0f / sqrt(squares / (float)cols + eps);
	const float shift = -mean * scale;
	for (uint c = 0; c < cols; c++)
		kf_store(dst, c,
		    fma(fma(kf_load(src, c), scale, shift), kf_load(weight, c),
			kf_load(bias, c)));
}
