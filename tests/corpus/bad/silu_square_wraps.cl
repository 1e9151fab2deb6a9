// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect unwritten
// In 32 bits the square of 65,536 is nothing.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	if (cols * cols == 0) return;
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = v / (1.0f + exp(-v));
	kf_store(out, r * out_stride + c, y);
}
