// entry: k
// global: 4096
// local: 64
// want: verified_incorrect -
// A grid's steps in an int: with rows next to 2^31 the last step overflows.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	for (int r = get_global_id(0); r < (int)rows; r += (int)get_global_size(0))
		for (uint c = 0; c < cols; c++) {
			float v = kf_load(x, (size_t)r * x_stride + c);
			kf_store(out, (size_t)r * out_stride + c, v < 0.0f ? 0.0f : v);
		}
}
