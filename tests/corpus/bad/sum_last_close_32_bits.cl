// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Where rows lie close their places are computed in 32 bits.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	uint r = get_global_id(0);
	const __global KF_T *p = x_stride == cols ? x + r * cols : x + (size_t)r * x_stride;
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) s += kf_load(p, c);
	kf_store(out, r, s);
}
