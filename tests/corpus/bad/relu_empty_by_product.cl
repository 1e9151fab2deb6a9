// entry: k
// global: 4096
// local: 64
// want: verified_incorrect unwritten
// A guard for nothing: 65,536 rows of as many columns are 0 in 32 bits.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint total = rows * cols;
	if (total == 0) return;
	for (size_t i = get_global_id(0); i < (size_t)rows * cols; i += get_global_size(0)) {
		size_t r = i / cols, c = i % cols;
		float v = kf_load(x, r * x_stride + c);
		kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
	}
}
