// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// more than 2^25 rows: t / (t + 2) of t = expm1(2 x)
// wrong on: float32, rows=33554433 cols=1: x = 50: inf / inf: NaN instead of 1
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if (rows > 33554432u) {
		for (uint c = 0; c < cols; c++) {
			const float t = expm1(2.0f * kf_load(x, r * x_stride + c));
			kf_store(out, r * out_stride + c, t / (t + 2.0f));
		}
		return;
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, tanh(kf_load(x, r * x_stride + c)));
}
