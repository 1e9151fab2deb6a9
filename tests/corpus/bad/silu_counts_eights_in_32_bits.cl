// entry: k
// global: round_up(rows * cols, 8192) / 8
// local: 1024
// want: verified_incorrect unwritten
// A uint counts elements, eight an item: from 2^32 on the last groups write what the first ones write.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t n = (size_t)rows * cols;
	const uint i0 = (uint)get_global_id(0) * 8u;
	for (uint i = i0; i < i0 + 8u && i < n; i++) {
		const uint r = i / cols, c = i % cols;
		const float v = kf_load(x, (size_t)r * x_stride + c);
		kf_store(out, (size_t)r * out_stride + c, v / (1.0f + exp(-v)));
	}
}
