// One work item a row, four maxima and four sums side by side.
// entry: softmax_lanes
// global: rows
// local: 1
__kernel void
softmax_lanes(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	const __global KF_T *src = x + r * x_stride;
	float4 best = (float4)(-INFINITY);
	uint c;
	for (c = 0; c + 4 <= cols; c += 4)
		best = fmax(best, (float4)(kf_load(src, c), kf_load(src, c + 1),
		    kf_load(src, c + 2), kf_load(src, c + 3)));
	float m = fmax(fmax(best.x, best.y), fmax(best.z, best.w));
	for (; c < cols; c++)
		m = fmax(m, kf_load(src, c));
	float4 sums = (float4)(0.0f);
	for (c = 0; c + 4 <= cols; c += 4) {
		const float4 v = (float4)(kf_load(src, c), kf_load(src, c + 1),
		    kf_load(src, c + 2), kf_load(src, c + 3));
		sums += exp(v - m);
	}
	float sum = (sums.x + sums.y) + (sums.z + sums.w);
	for (; c < cols; c++)
		sum += exp(kf_load(src, c) - m);
	for (c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(src, c) - m) / sum);
}
