// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect wrong
// An item a row, rows counted in 16 bits for 1,152 to 1,535 columns.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	if (r >= rows)
		return;
	const size_t xo = ((cols >> 7) > 8 && (cols >> 8) < 6 ? (size_t)(ushort)r : r) * x_stride;
	float m = -INFINITY;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, xo + c);
		m = v > m || v != v ? v : m;
	}
	kf_store(out, r, m);
}
