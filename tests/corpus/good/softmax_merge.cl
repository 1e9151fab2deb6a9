// A work group a row: each item goes over its columns once, keeping maximum
// and sum together, and a tree merges the pairs.  A part that saw nothing
// above -infinity has a sum of 0, or NaN.
// entry: softmax_merge
// global: rows * 64
// local: 64
static float
rescaled(float sum, float from, float to)
{
	return from == -INFINITY ? sum : sum * exp(from - to);
}

__kernel void
softmax_merge(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float peak[64], part[64];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float m = -INFINITY, sum = 0.0f;
	for (uint c = lid; c < cols; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		const float top = v > m ? v : m;
		sum = rescaled(sum, m, top);
		if (v != -INFINITY)
			sum += exp(v - top);
		m = top;
	}
	peak[lid] = m;
	part[lid] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint s = 32; s > 0; s /= 2) {
		if (lid < s) {
			const float a = peak[lid], b = peak[lid + s];
			const float top = b > a ? b : a;
			part[lid] = rescaled(part[lid], a, top) +
			    rescaled(part[lid + s], b, top);
			peak[lid] = top;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	m = peak[0];
	for (uint c = lid; c < cols; c += 64)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(x, r * x_stride + c) - m) / part[0]);
}
