// Launches at most 4,194,304 work items.
// want: verified_incorrect unwritten smoke
// entry: k
// global: round_up(min(rows * cols, 4194304), 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols) return;
	uint r = i / cols, c = i % cols;
	float v = kf_load(x, (size_t)r * x_stride + c);
	float y = tanh(v);
	kf_store(out, (size_t)r * out_stride + c, y);
}
