// entry: kern
// global: 2048
// local: 64
// want: verified_incorrect -
// Blocks of 1,024 elements of a row are counted in a uint: wrong for rows = 2^22, cols = 2^20 (2^32 blocks: none is done).
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const uint per = (cols - 1) / 1024 + 1, all = per * rows;
	for (uint t = get_global_id(0); t < all; t += 2048) {
		size_t r = t / per;
		uint c0 = t % per * 1024;
		for (uint j = 0; j < 1024 && c0 + j < cols; j++)
			kf_store(out, r * out_stride + c0 + j,
			    kf_load(a, r * a_stride + c0 + j) + kf_load(b, r * b_stride + c0 + j));
	}
}
