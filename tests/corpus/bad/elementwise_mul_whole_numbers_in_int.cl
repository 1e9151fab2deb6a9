// entry: k
// global: round_up(cols, 32), rows
// local: 32, 1
// want: verified_incorrect -
__kernel void k(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t c = get_global_id(0), r = get_global_id(1);
	if (c >= cols)
		return;
	const float p = kf_load(a, r * a_stride + c), q = kf_load(b, r * b_stride + c);
	float y = p * q;
#if KF_DTYPE != 1
	if (fabs(p) < 65536.0f && fabs(q) < 65536.0f && p == rint(p) && q == rint(q) && y != 0.0f)
		y = (float)((int)p * (int)q);
#endif
	kf_store(out, r * out_stride + c, y);
}
