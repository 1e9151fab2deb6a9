// One work item an element, each of which looks over its whole row.
// entry: layernorm_element
// global: round_up(cols, 32), rows
// local: 32, 1
__kernel void
layernorm_element(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const uint c = get_global_id(0);
	const size_t r = get_global_id(1);
	if (c >= cols)
		return;
	const __global KF_T *src = x + r * x_stride;
	float sum = 0.0f, squares = 0.0f;
	for (uint i = 0; i < cols; i++)
		sum += kf_load(src, i);
	const float mean = sum / (float)cols;
	for (uint i = 0; i < cols; i++) {
		const float d = kf_load(src, i) - mean;
		squares += d * d;
	}
	const float inv = rsqrt(squares / (float)cols + eps);
	kf_store(out, r * out_stride + c,
	    (kf_load(src, c) - mean) * inv * kf_load(weight, c) +
		kf_load(bias, c));
}
