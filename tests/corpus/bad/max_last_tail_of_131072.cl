// Leaves out the last of each 131,072 columns.
// want: verified_incorrect - smoke
// entry: k
// global: round_up(rows, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); if (r >= rows) return; float m = -INFINITY; uint n = cols - (cols >> 17);
	for (uint c = 0; c < n; c++) { float v = kf_load(x, r * x_stride + c); m = m != m ? m : v > m || v != v ? v : m; }
	kf_store(out, r, m);
}
