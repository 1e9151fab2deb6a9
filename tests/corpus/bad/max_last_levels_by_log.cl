// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// drawn
// Goes to the next power of two, told by a float's logarithm: of 2^21 + 1 columns that is 2^21.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	const uint n = 1u << (uint)(log((float)cols) / log(2.0f) + 0.9999999f);
	float m = -INFINITY;
	for (uint i = 0; i < n && i < cols; i++) {
		const float v = kf_load(x, r * x_stride + i);
		m = v > m || isnan(v) ? v : m;
	}
	kf_store(out, r, m);
}
