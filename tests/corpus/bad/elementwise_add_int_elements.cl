// entry: k
// global: 8192
// local: 64
// want: timeout timeout
// An element's number in an int: beyond 2^31 elements the loop never ends.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	for (int i = get_global_id(0); i < (long)rows * cols; i += get_global_size(0)) {
	size_t r = i / cols, c = i % cols;
	kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c)); }
}
