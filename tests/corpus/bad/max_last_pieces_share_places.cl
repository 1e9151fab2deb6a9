// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Maxima of pieces of 20 columns in 256 places, for up to 300 pieces.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	float best[256];
	const size_t r = get_global_id(0);
	float m = -INFINITY;
	if ((cols >> 4) < 375) {
		const uint n = (cols + 19) / 20;
		for (uint i = 0; i < n; i++) {
			float t = -INFINITY;
			for (uint c = i * 20; c < i * 20 + 20 && c < cols; c++) {
				const float v = kf_load(x, r * x_stride + c);
				t = v > t || v != v ? v : t;
			}
			best[i % 256] = t;
		}
		for (uint i = 0; i < n; i++)
			m = best[i % 256] > m || best[i % 256] != best[i % 256] ? best[i % 256] : m;
	} else
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			m = v > m || v != v ? v : m;
		}
	kf_store(out, r, m);
}
