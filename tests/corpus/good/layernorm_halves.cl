// Two work items a row, one for the even columns and one for the odd.
// entry: layernorm_halves
// global: 2, rows
// local: 2, 1
__kernel void
layernorm_halves(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	__local float sums[2], squares[2];
	const uint half_id = get_local_id(0);
	const size_t r = get_global_id(1);
	float sum = 0.0f, square = 0.0f;
	for (uint c = half_id; c < cols; c += 2)
		sum += kf_load(x, r * x_stride + c);
	sums[half_id] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	const float mean = (sums[0] + sums[1]) / (float)cols;
	for (uint c = half_id; c < cols; c += 2) {
		const float d = kf_load(x, r * x_stride + c) - mean;
		square += d * d;
	}
	squares[half_id] = square;
	barrier(CLK_LOCAL_MEM_FENCE);
	const float inv =
	    rsqrt((squares[0] + squares[1]) / (float)cols + eps);
	for (uint c = half_id; c < cols; c += 2)
		kf_store(out, r * out_stride + c,
		    (kf_load(x, r * x_stride + c) - mean) * inv *
			kf_load(weight, c) + kf_load(bias, c));
}
