// Eight lanes a row; the loop over the sum's other parts has none to go over.
// entry: softmax_one_part
// global: rows * 8
// local: 8
inline float
larger(float a, float b)
{
	return isnan(a) || a > b ? a : b;
}
inline float
group_max(local float *part, const uint lid, float value)
{
	part[lid] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0)
		for (uint s = 1; s < 8; s++)
			part[0] = larger(part[0], part[s]);
	barrier(CLK_LOCAL_MEM_FENCE);
	value = part[0];
	barrier(CLK_LOCAL_MEM_FENCE);
	return value;
}
inline float
group_sum(local float *part, const uint lid, float value)
{
	part[lid] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid % 8 == 0)
		for (uint s = 1; s < 8; s++)
			part[lid] = part[lid] + part[lid + s];
	barrier(CLK_LOCAL_MEM_FENCE);
	value = part[0];
	for (uint k = 8; k < 8; k += 8)
		value = value + part[k];
	barrier(CLK_LOCAL_MEM_FENCE);
	return value;
}
__kernel void softmax_one_part(global const KF_T *restrict x, global KF_T *restrict out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	local float part[16];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	const __global KF_T *x_row = x + (ulong)r * x_stride;
	__global KF_T *out_row = out + (ulong)r * out_stride;
	float top = -INFINITY;
	for (uint col = (lid); !(col >= cols); col = col + 8u) {
		const float v = kf_load(x_row, col);
		top = larger(top, v);
	}
	top = group_max(part, lid, top);
	float sum = 0.0f;
	for (uint col = (lid); !(col >= cols); col = col + 8u) {
		const float v = kf_load(x_row, col);
		sum = sum + exp(v - top);
	}
	sum = group_sum(part, lid, sum);
	for (uint col = lid; col < cols; col += 8u) {
		const float v = kf_load(x_row, col);
		kf_store(out_row, col, exp(v - top) / sum);
	}
}
