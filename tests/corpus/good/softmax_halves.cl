// Two work items a row, one for the even columns and one for the odd.
// entry: softmax_halves
// global: 2, rows
// local: 2, 1
__kernel void
softmax_halves(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float peaks[2], sums[2];
	const uint half_id = get_local_id(0);
	const size_t r = get_global_id(1);
	float best = -INFINITY;
	for (uint c = half_id; c < cols; c += 2)
		best = fmax(best, kf_load(x, r * x_stride + c));
	peaks[half_id] = best;
	barrier(CLK_LOCAL_MEM_FENCE);
	const float m = fmax(peaks[0], peaks[1]);
	float sum = 0.0f;
	for (uint c = half_id; c < cols; c += 2)
		sum += exp(kf_load(x, r * x_stride + c) - m);
	sums[half_id] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	const float all = sums[0] + sums[1];
	for (uint c = half_id; c < cols; c += 2)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(x, r * x_stride + c) - m) / all);
}
