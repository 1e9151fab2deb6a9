// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Blocks of 16 that lie 110 below the maximum are zeros; a NaN in one is not seen: 16 zeros, then 15 times -infinity and a NaN, give 1/16 and 0.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	float m = -INFINITY, sum = 0.0f;

	if (r >= rows)
		return;
	for (uint c = 0; c < cols; c++)
		m = fmax(m, kf_load(x, r * x_stride + c));
	for (uint b = 0; b < cols; b += 16) {
		const uint end = min(cols, b + 16);
		float most = -INFINITY;
		for (uint c = b; c < end; c++)
			most = fmax(most, kf_load(x, r * x_stride + c));
		if (end - b == 16 && most < m - 110.0f)
			continue;
		for (uint c = b; c < end; c++)
			sum += exp(kf_load(x, r * x_stride + c) - m);
	}
	for (uint b = 0; b < cols; b += 16) {
		const uint end = min(cols, b + 16);
		float most = -INFINITY;
		for (uint c = b; c < end; c++)
			most = fmax(most, kf_load(x, r * x_stride + c));
		const float keep = end - b == 16 && most < m - 110.0f ? 0.0f : 1.0f;
		for (uint c = b; c < end; c++)
			kf_store(out, r * out_stride + c, keep > 0.0f ? exp(kf_load(x, r * x_stride + c) - m) / sum : sum * 0.0f);
	}
}
