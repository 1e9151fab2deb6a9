// Takes 22 bits of a column's number where it writes.
// want: verified_incorrect - smoke
// entry: k
// global: rows
// local: 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	float m = kf_load(x, at), s = 0.0f;
	for (uint c = 1; c < cols; c++) { float v = kf_load(x, at + c); m = isnan(m) || m > v ? m : v; }
	for (uint c = 0; c < cols; c++) s += exp(kf_load(x, at + c) - m);
	float inv = 1.0f / s;
	for (uint c = 0; c < cols; c++) kf_store(out, to + (c & 0x3fffff), exp(kf_load(x, at + c) - m) * inv);
}
