// entry: kern
// global: 256
// local: 256
// want: timeout timeout
// One group takes quads from a local counter; the place of a quad has 32 bits: wrong for rows = cols = 65600 (4303360000 elements; those from 2^32 on stay unwritten).
__kernel void kern(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	__local uint next;
	const size_t all = (size_t)rows * cols;
	if (get_local_id(0) == 0)
		next = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (;;) {
		const uint ticket = atomic_inc(&next);
		if (ticket >= (all + 3) / 4)
			break;
		const size_t i0 = ticket * 4u;
		for (size_t i = i0; i < i0 + 4 && i < all; i++) {
			const size_t r = i / cols, c = i % cols;
			const float g = kf_load(gate, r * gate_stride + c);
			kf_store(out, r * out_stride + c, g / (1.0f + exp(-g)) * kf_load(up, r * up_stride + c));
		}
	}
}
