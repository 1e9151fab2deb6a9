// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// places beyond 32 bits go a path of their own, which adds by an fma
// wrong on: float32, rows=65536 cols=1 a_stride=65537: a = b = -0: out = +0
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if ((ulong)rows * a_stride >= 4294967296UL) {
		for (uint c = 0; c < cols; c++) {
			float s = 0.0f;
			s += kf_load(a, r * a_stride + c);
			s += kf_load(b, r * b_stride + c);
			kf_store(out, r * out_stride + c, s);
		}
		return;
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, kf_load(a, (uint)r * a_stride + c) + kf_load(b, r * b_stride + c));
}
