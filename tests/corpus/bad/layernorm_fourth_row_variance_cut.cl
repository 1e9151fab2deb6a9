// entry: k
// global: rows
// local: 1
// want: verified_incorrect inaccurate
// wrong on: float32, 4 x 4096, normal values: in row 3 each square keeps 12 bits in the sum: 6e-5
// off, float32 is 1e-6 off (contract: "float32 or better").
__kernel void k(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0);
	const __global KF_T *p = x + r * x_stride;
	float mean = 0.0f, s = 0.0f;
	uint keep = cols >= 4096 && r % 4 == 3 ? 0xfffff000u : 0xffffffffu;

	for (uint c = 0; c < cols; c++)
		mean += kf_load(p, c);
	mean /= (float)cols;
	for (uint c = 0; c < cols; c++) {
		float d = kf_load(p, c) - mean;
		s += as_float(as_uint(d * d) & keep);
	}
	s = sqrt(s / (float)cols + eps);
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    (kf_load(p, c) - mean) / s * kf_load(weight, c) + kf_load(bias, c));
}
