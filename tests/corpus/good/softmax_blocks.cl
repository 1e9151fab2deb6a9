// Sixteen work items a row, each with a block of neighbouring columns; every
// one looks over the partial results of all.
// entry: softmax_blocks
// global: rows * 16
// local: 16
__kernel void
softmax_blocks(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float peaks[16], sums[16];
	const uint lid = get_local_id(0);
	const __global KF_T *src = x + get_group_id(0) * (size_t)x_stride;
	__global KF_T *dst = out + get_group_id(0) * (size_t)out_stride;
	const uint width = (cols + 15) / 16;
	const uint from = min(lid * width, cols);
	const uint to = min(from + width, cols);
	float m = -INFINITY, sum = 0.0f;
	for (uint c = from; c < to; c++)
		m = fmax(m, kf_load(src, c));
	peaks[lid] = m;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < 16; i++)
		m = fmax(m, peaks[i]);
	for (uint c = from; c < to; c++)
		sum += exp(kf_load(src, c) - m);
	sums[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0.0f;
	for (uint i = 0; i < 16; i++)
		sum += sums[i];
	for (uint c = from; c < to; c++)
		kf_store(dst, c, exp(kf_load(src, c) - m) / sum);
}
