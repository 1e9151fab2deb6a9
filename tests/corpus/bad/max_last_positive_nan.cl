// Takes for a NaN only what has no sign.
// want: verified_incorrect wrong smoke
// entry: k
// global: round_up(rows, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); if (r >= rows) return; float m = -INFINITY;
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); if (as_int(v) > 0x7f800000 || v > m) m = v; if (m != m) break; }
	kf_store(out, r, m);
}
