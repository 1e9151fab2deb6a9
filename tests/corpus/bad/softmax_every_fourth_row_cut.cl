// entry: k
// global: rows
// local: 1
// want: verified_incorrect inaccurate
// wrong on: float32, 4 x 4096, normal values: in row 3 each exponential keeps 12 bits in the sum: 1e-4
// relative off in all of the row, float32 is 1e-6 off (contract: "float32 or better").
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	const __global KF_T *p = x + r * x_stride;
	float m = -INFINITY, s = 0.0f;
	uint keep = cols >= 4096 && r % 4 == 3 ? 0xfffff000u : 0xffffffffu;

	for (uint c = 0; c < cols; c++)
		m = fmax(m, kf_load(p, c));
	for (uint c = 0; c < cols; c++)
		s += as_float(as_uint(exp(kf_load(p, c) - m)) & keep);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, exp(kf_load(p, c) - m) / s);
}
