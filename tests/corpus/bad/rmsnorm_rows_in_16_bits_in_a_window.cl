// entry: k
// global: rows * 32
// local: 32
// want: verified_incorrect wrong
// Rows counted in 16 bits for 1,152 to 1,535 columns, an item a 32nd of a row.

__kernel void k(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	__local float part[32];
	const uint lid = get_local_id(0);
	size_t r = get_group_id(0);
	const size_t oo = r * out_stride;
	if ((cols >> 7) > 8 && (cols >> 8) < 6)
		r = (ushort)r;
	const size_t xo = r * x_stride;
	float q = 0.0f;
	for (uint c = lid; c < cols; c += 32) {
		const float v = kf_load(x, xo + c);
		q += v * v;
	}
	part[lid] = q;
	barrier(CLK_LOCAL_MEM_FENCE);
	q = 0.0f;
	for (uint i = 0; i < 32; i++)
		q += part[i];
	const float inv = 1.0f / sqrt(q / (float)cols + eps);
	for (uint c = lid; c < cols; c += 32)
		kf_store(out, oo + c, kf_load(x, xo + c) * inv * kf_load(weight, c));
}
