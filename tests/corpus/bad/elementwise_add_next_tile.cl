// entry: kern
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A lane goes on to its place in the next tile of 64 by an int: wrong for cols = 2^31 - 1, rows = 1 (behind 2147483584 comes -2^31).
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t r = get_group_id(0);
	const int lane = get_local_id(0);
	for (int c = lane; c < (int)cols; c = (c | 63) + 1 + lane)
		kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c));
}
