// Where a row begins, in 32 bits.
// want: verified_incorrect - smoke
// entry: k
// global: cols, rows
// local: 1, 1
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	uint c = get_global_id(0), r = get_global_id(1);
	kf_store(out, (size_t)r * out_stride + c, kf_load(a, r * a_stride + c) + kf_load(b, (size_t)r * b_stride + c));
}
