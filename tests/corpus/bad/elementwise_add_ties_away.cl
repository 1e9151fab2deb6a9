// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect wrong smoke
// sole: exact
// Its own store to bfloat16 rounds ties away from zero.
#if KF_DTYPE == 2
#define ST(p, i, v) ((p)[i] = isnan(v) ? (ushort)0x7fc0 : (ushort)((as_uint(v) + 0x8000u) >> 16))
#else
#define ST(p, i, v) kf_store(p, i, v)
#endif
__kernel void k(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float s = kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c);
	ST(out, r * out_stride + c, s);
}
