// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// The last column of each tile of 512 but the last tile is left out.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t xo = get_global_id(0) * (size_t)x_stride;
	float m = -INFINITY;
	for (uint t = 0; t < cols; t += 512) {
		const uint end = cols - t > 512 ? t + 511 : cols;
		for (uint c = t; c < end; c++) {
			const float v = kf_load(x, xo + c);
			m = v > m || v != v ? v : m;
		}
	}
	kf_store(out, get_global_id(0), m);
}
