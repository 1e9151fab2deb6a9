// entry: norm
// global: rows
// local: 1
// The squares of whole parts exactly, the rest in a float: doubled elements
// have other whole parts, and so other roundings.
__kernel void
norm(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const size_t row = get_global_id(0);
	const __global KF_T *src = x + row * x_stride;
	float rest = 0.0f;
	ulong whole = 0;

	for (uint c = 0; c < cols; c++) {
		const float v = fabs(kf_load(src, c));

		if (v <= 32.0f) {
			const uint k = (uint)v;
			const float part = v - (float)k;

			whole += k * k;
			rest += part * (v + (float)k);
		} else {
			rest += v * v;
		}
	}
	const float by = 1.0f / sqrt((rest + (float)whole) / (float)cols + eps);

	for (uint c = 0; c < cols; c++)
		kf_store(out, row * out_stride + c, kf_load(src, c) * by * kf_load(weight, c));
}
