// The row of partial maxima is written over before all have read it.
// want: verified_incorrect race smoke
// entry: softmax_group
// global: rows * 64
// local: 64
__kernel void
softmax_group(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float part[64];
	const uint lid = get_local_id(0);
	const __global KF_T *src = x + get_group_id(0) * (size_t)x_stride;
	__global KF_T *dst = out + get_group_id(0) * (size_t)out_stride;
	float best = -INFINITY;
	for (uint c = lid; c < cols; c += 64)
		best = fmax(best, kf_load(src, c));
	part[lid] = best;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] = fmax(part[lid], part[lid + s]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float m = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	float acc = 0.0f;
	for (uint c = lid; c < cols; c += 64)
		acc += exp(kf_load(src, c) - m);
	part[lid] = acc;
	;
	for (uint s = 32; s > 0; s >>= 1) {
		if (lid < s)
			part[lid] += part[lid + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	const float sum = part[0];
	for (uint c = lid; c < cols; c += 64)
		kf_store(dst, c, exp(kf_load(src, c) - m) / sum);
}
