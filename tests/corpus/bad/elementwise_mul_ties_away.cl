// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect wrong
// Its own store to bfloat16 rounds ties away from zero.
__kernel void k(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float s = kf_load(a, r * a_stride + c) * kf_load(b, r * b_stride + c);
#if KF_DTYPE == 2
	out[r * out_stride + c] = isnan(s) ? (ushort)0x7fc0 : (ushort)((as_uint(s) + 0x8000u) >> 16);
#else
	kf_store(out, r * out_stride + c, s);
#endif
}
