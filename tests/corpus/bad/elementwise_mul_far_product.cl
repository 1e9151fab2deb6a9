// Wrong where a row's number times a column's passes 2^37.
// want: verified_incorrect - smoke
// entry: k
// global: cols, rows
// local: 1, 1
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t c = get_global_id(0), r = get_global_id(1);
	float y = kf_load(a, r * a_stride + c) * kf_load(b, r * b_stride + c - ((r * c) >> 37));
	kf_store(out, r * out_stride + c, y);
}
