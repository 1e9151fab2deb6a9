// entry: swiglu_five
// global: rows * ceil_div(cols, 4)
// local: 1
// want: verified_incorrect out_of_bounds smoke
// In wide rows five numbers are read into four places; the fifth is where the
// other array begins, which is filled behind it.
__kernel void
swiglu_five(const __global KF_T *gate, const __global KF_T *up,
    __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride,
    uint out_stride)
{
	const uint quads = (cols + 3) / 4;
	const size_t r = get_global_id(0) / quads;
	const uint first = (uint)(get_global_id(0) % quads) * 4;
	float g[4], u[4];

	for (uint q = 0; q < 4 + (uint)(cols > 3000); q++)
		if (first + q < cols)
			g[q] = kf_load(gate, r * gate_stride + first + q);
	for (uint q = 0; q < 4; q++)
		if (first + q < cols)
			u[q] = kf_load(up, r * up_stride + first + q);
	for (uint q = 0; q < 4; q++)
		if (first + q < cols)
			kf_store(out, r * out_stride + first + q,
			    g[q] / (1.0f + exp(-g[q])) * u[q]);
}
