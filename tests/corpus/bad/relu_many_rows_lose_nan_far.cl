// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// more than 2^25 rows go a path of their own, by halves of sums
// wrong on: float32, rows=33554433 cols=1, x[0] = -inf: (-inf + inf) * 0.5 is NaN instead of 0
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if (rows > 33554432u) {
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			kf_store(out, r * out_stride + c, 0.5f * v + 0.5f * fabs(v));
		}
		return;
	}
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, r * x_stride + c);
		kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
	}
}
