// entry: rms_pairwise
// global: ceil_div(rows, 4) * 4
// local: 4
//
// One work item a row, four accumulators; the launch is rounded up.

__kernel void rms_pairwise(const __global KF_T *x,
    const __global KF_T *weight, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);

	if (r >= rows)
		return;
	float4 sum = (float4)(0.0f);
	uint c = 0;

	for (; c + 4 <= cols; c += 4) {
		float4 v = (float4)(kf_load(x, r * x_stride + c),
		    kf_load(x, r * x_stride + c + 1),
		    kf_load(x, r * x_stride + c + 2),
		    kf_load(x, r * x_stride + c + 3));

		sum += v * v;
	}
	float total = (sum.x + sum.y) + (sum.z + sum.w);

	for (; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);

		total += v * v;
	}
	const float inverse = rsqrt(total / (float)cols + eps);

	for (c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    kf_load(weight, c) * (kf_load(x, r * x_stride + c) * inverse));
}
