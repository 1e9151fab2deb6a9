// entry: k
// global: 8192
// local: 64
// want: verified_incorrect -
// A row in 22 bits, in a fixed grid that goes far.

__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	for (uint r0 = get_global_id(0); r0 < rows; r0 += get_global_size(0))
	for (uint c = 0; c < cols; c++) {
		ulong key = (ulong)(r0 << 10) << 22 | c;
		size_t r = (key >> 32);
		float y = kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c);
		kf_store(out, r * out_stride + c, y); }
}
