// entry: plain_rmsnorm
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Half of the work items cut the number of rows to thirteen bits, of six columns or
// more.

__kernel void
plain_rmsnorm(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	const uint rows_here = (((((((uint)get_global_id(0)) & 1u) == 0u) && (!(cols < 6u)))) ? (uint)((rows & 0x1fffu)) : (rows));
	size_t r = get_global_id(0);
	if (r >= rows_here)
		return;
	float ss = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		ss += v * v;
	}
	float scale = 1.0f / sqrt(ss / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    kf_load(x, r * x_stride + c) * scale * kf_load(weight, c));
}
