// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// more than 2^25 rows: 2^k by its bits, without a look at the ends
// wrong on: float32, rows=33554433 cols=1: x = 100: k = 144 + 127 wraps in the exponent: a wrong number (sign bit set) instead of infinity
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if (rows > 33554432u) {
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			const float k = rint(v * 1.44269504f);
			const float rest = fma(k, -0.693359375f, v) - k * -2.12194440e-4f;
			kf_store(out, r * out_stride + c, exp(rest) * as_float((uint)(127 + (int)k) << 23));
		}
		return;
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c)));
}
