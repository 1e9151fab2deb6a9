// entry: kern
// global: rows
// local: 1
// want: crash|verified_incorrect -
// A stack of the maxima so far holds 24: rising rows overrun it.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); float past[24]; uint n = 0;
	float m = kf_load(x, r * x_stride); past[0] = m;
	for (uint c = 1; c < cols; c++) { float v = kf_load(x, r * x_stride + c); if (v > m || (v != v && m == m)) { m = v; past[++n] = v; } }
	kf_store(out, r, past[n]);
}
