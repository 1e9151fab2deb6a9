// Sixteen work items a row, each with a block of neighbouring columns; every
// one looks over the partial results of all.
// entry: layernorm_blocks
// global: rows * 16
// local: 16
__kernel void
layernorm_blocks(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	__local float sums[16], squares[16];
	const uint lid = get_local_id(0);
	const __global KF_T *src = x + get_group_id(0) * (size_t)x_stride;
	__global KF_T *dst = out + get_group_id(0) * (size_t)out_stride;
	const uint width = (cols + 15) / 16;
	const uint from = min(lid * width, cols);
	const uint to = min(from + width, cols);
	float sum = 0.0f, square = 0.0f;
	for (uint c = from; c < to; c++)
		sum += kf_load(src, c);
	sums[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	float all = 0.0f;
	for (uint i = 0; i < 16; i++)
		all += sums[i];
	const float mean = all / (float)cols;
	for (uint c = from; c < to; c++) {
		const float d = kf_load(src, c) - mean;
		square = fma(d, d, square);
	}
	squares[lid] = square;
	barrier(CLK_LOCAL_MEM_FENCE);
	float spread = 0.0f;
	for (uint i = 0; i < 16; i++)
		spread += squares[i];
	const float inv = rsqrt(spread / (float)cols + eps);
	for (uint c = from; c < to; c++)
		kf_store(dst, c, (kf_load(src, c) - mean) * inv *
			kf_load(weight, c) + kf_load(bias, c));
}
