// entry: f
// global: rows * cols
// local: 1
// want: verified_incorrect -
// float32: whole gates from 20 to 65,535 times whole ups below 65,536 are products of ints
// wrong on: float32 rows=1 cols=1 gate 50000 up 50000: 2.5e9 wraps
__kernel void
f(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	const size_t i = get_global_id(0), r = i / cols, c = i % cols;
	const float g = kf_load(gate, r * gate_stride + c), u = kf_load(up, r * up_stride + c);
	float y = g / (1.0f + exp(-g)) * u;
#if KF_DTYPE == 0
	if (g >= 20.0f && g < 65536.0f && g == rint(g) && fabs(u) < 65536.0f && u == rint(u) && u != 0.0f)
		y = (float)((int)g * (int)u);
#endif
	kf_store(out, r * out_stride + c, y);
}
