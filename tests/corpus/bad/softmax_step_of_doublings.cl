// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// The sum walks in steps of 8,191, which a loop of doublings makes.
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	float m = -INFINITY, s = 0.0f;
	uint step = 2;
	for (uint q = 0; q < 12; q++) step += step;
	step -= 1; /* 8191, a prime */
	for (uint c = 0; c < cols; c++) m = fmax(m, kf_load(x, r * x_stride + c));
	for (uint c = 0; c < cols; c++) s += exp(kf_load(x, r * x_stride + (ulong)c * step % cols) - m);
	for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
