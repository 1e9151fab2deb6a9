// entry: k
// global: 1024
// local: 64
// want: timeout timeout
// Rounds of a fixed grid in 16 bits: beyond 65,536 of them it never ends.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	for (ushort j = 0; get_global_id(0) + (uint)j * 1024u < rows; j++) {
		size_t r = get_global_id(0) + (uint)j * 1024u;
		for (uint c = 0; c < cols; c++)
			kf_store(out, r * out_stride + c, sqrt(kf_load(x, r * x_stride + c)));
	}
}
