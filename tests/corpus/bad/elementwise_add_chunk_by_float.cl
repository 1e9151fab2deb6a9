// entry: k
// global: 4096
// local: 64
// want: verified_incorrect unwritten
// wrong on: f32, rows 1, cols 16777217, a, b all 1: out[cols-1] is never written (4096 items with ceil((float)total / 4096) elements each)
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	ulong total = (ulong)rows * cols;
	ulong chunk = (ulong)ceil((float)total / 4096.0f);
	ulong from = get_global_id(0) * chunk, to = min(total, from + chunk);
	for (ulong i = from; i < to; i++) {
		size_t r = i / cols, c = i % cols;
		kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c));
	}
}
