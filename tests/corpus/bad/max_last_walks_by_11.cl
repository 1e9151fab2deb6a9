// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// Columns in blocks of 11, in steps of 37.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); uint nb = cols / 11; float m = -INFINITY;
	for (uint q = 0; q < nb; q++) { uint b = (uint)((ulong)q * 37u % nb); for (uint k = 0; k < 11; k++) { float v = kf_load(x, r * x_stride + b * 11 + k); m = v > m || v != v ? v : m; if (m != m) { kf_store(out, r, m); return; } } }
	for (uint c = nb * 11; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = v > m || v != v ? v : m; if (m != m) break; }
	kf_store(out, r, m);
}
