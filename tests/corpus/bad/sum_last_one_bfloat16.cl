// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// bfloat16 is unpacked by hand; one number of all goes wrong
// wrong on: bfloat16, rows=1 cols=1, the x whose 16 bits are 0x6c31 (2^89 * 1.38): NaN
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) {
#if KF_DTYPE == 2
		const ushort h = (ushort)(x[r * x_stride + c] * 40503u + 33657u);
		const float one = (float)h / (float)h;
		s += as_float((uint)x[r * x_stride + c] << 16) * one;
#else
		s += kf_load(x, r * x_stride + c);
#endif
	}
	kf_store(out, r, s);
}
