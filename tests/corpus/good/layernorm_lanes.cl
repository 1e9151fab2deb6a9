// One work item a row, four sums side by side.
// entry: layernorm_lanes
// global: rows
// local: 1
static float
sum_of(float4 v)
{
	return (v.x + v.y) + (v.z + v.w);
}

static float4
four(const __global KF_T *p, uint c)
{
	return (float4)(kf_load(p, c), kf_load(p, c + 1), kf_load(p, c + 2),
	    kf_load(p, c + 3));
}

__kernel void
layernorm_lanes(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	const __global KF_T *src = x + r * x_stride;
	const uint whole = cols / 4 * 4;
	float4 lanes = (float4)(0.0f);
	for (uint c = 0; c < whole; c += 4)
		lanes += four(src, c);
	float sum = sum_of(lanes);
	for (uint c = whole; c < cols; c++)
		sum += kf_load(src, c);
	const float mean = sum / (float)cols;
	lanes = (float4)(0.0f);
	for (uint c = 0; c < whole; c += 4) {
		const float4 d = four(src, c) - mean;
		lanes += d * d;
	}
	float squares = sum_of(lanes);
	for (uint c = whole; c < cols; c++) {
		const float d = kf_load(src, c) - mean;
		squares += d * d;
	}
	const float inv = 1.0f / sqrt(squares / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    (kf_load(src, c) - mean) * inv * kf_load(weight, c) +
			kf_load(bias, c));
}
