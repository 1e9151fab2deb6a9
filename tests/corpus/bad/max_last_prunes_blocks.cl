// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// seeds: 3
// A block whose ends lie 4 below the maximum is skipped.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); float m = -INFINITY;
	for (uint c0 = 0; c0 < cols; c0 += 8) {
		uint e = min(c0 + 8u, cols); bool dull = true; float a = kf_load(x, r * x_stride + c0), b = kf_load(x, r * x_stride + e - 1), k = kf_load(x, r * x_stride + (c0 + e) / 2), q = kf_load(x, r * x_stride + (3 * c0 + e) / 4), z = kf_load(x, r * x_stride + (c0 + 3 * e) / 4);
		float near = m * 0.999f;
		dull = a < near && b < near && k < near && q < near && z < near && fabs(m) < 1e30f && m > 1.0f && a > 0.998f * m;
		for (uint c = c0; c < e && !dull; c++) { float v = kf_load(x, r * x_stride + c); m = v > m || v != v ? v : m; if (m != m) { kf_store(out, r, m); return; } }
	}
	kf_store(out, r, m);
}
