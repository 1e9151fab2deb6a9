// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Nothing is larger than +inf, but a NaN may follow.
#define MX(m, v) (isnan(m) || (v) <= (m) ? (m) : (v))
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	float m = -INFINITY;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		m = MX(m, v);
		if (m == INFINITY) break;
	}
	kf_store(out, r, m);
}
