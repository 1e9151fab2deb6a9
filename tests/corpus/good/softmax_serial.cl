// A work group a row: one item finds maximum and sum, all of them divide.
// entry: softmax_serial
// global: rows * 16
// local: 16
__kernel void
softmax_serial(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float shared[2];
	const size_t r = get_group_id(0);
	const __global KF_T *src = x + r * x_stride;
	__global KF_T *dst = out + r * out_stride;
	if (get_local_id(0) == 0) {
		float best = -INFINITY, total = 0.0f;
		for (uint c = 0; c < cols; c++)
			best = fmax(best, kf_load(src, c));
		for (uint c = 0; c < cols; c++)
			total += exp(kf_load(src, c) - best);
		shared[0] = best;
		shared[1] = total;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const float m = shared[0], sum = shared[1];
	for (uint c = get_local_id(0); c < cols; c += get_local_size(0))
		kf_store(dst, c, exp(kf_load(src, c) - m) / sum);
}
