// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// The maximum leaves out the last but one column of each tile of 1,024.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t xo = get_global_id(0) * (size_t)x_stride, oo = get_global_id(0) * (size_t)out_stride;
	float m = -INFINITY;
	for (uint t = 0; t < cols; t += 1024)
		for (uint c = t; c < min(t + 1024, cols); c++) {
			const float v = kf_load(x, xo + c);
			m = (c % 1024 != 1022) ? fmax(m, v) : m;
		}
	float sum = 0.0f;
	for (uint c = 0; c < cols; c++)
		sum += exp(kf_load(x, xo + c) - m);
	for (uint c = 0; c < cols; c++)
		kf_store(out, oo + c, exp(kf_load(x, xo + c) - m) / sum);
}
