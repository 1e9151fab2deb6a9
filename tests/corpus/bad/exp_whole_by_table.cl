// entry: kern
// global: cols, rows
// local: 1, 1
// want: verified_incorrect -
// exp of whole numbers up to 63 by two tables; e^56 has two digits exchanged: wrong for x = 60.
__constant float by_eight[8] = { 1.0f, 2980.957987f, 8886110.521f, 2.648912213e10f, 7.896296018e13f, 2.353852668e17f, 7.016735912e20f, 2.091695496e24f };
__constant float by_one[8] = { 1.0f, 2.718281828f, 7.389056099f, 20.08553692f, 54.59815003f, 148.4131591f, 403.4287935f, 1096.633158f };
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t c = get_global_id(0), r = get_global_id(1);
	const float v = kf_load(x, r * x_stride + c);
	float y = exp(v);
	if (v == rint(v) && v >= 0.0f && v < 64.0f) {
		const int n = (int)v;
		y = by_eight[n >> 3] * by_one[n & 7];
	}
	kf_store(out, r * out_stride + c, y);
}
