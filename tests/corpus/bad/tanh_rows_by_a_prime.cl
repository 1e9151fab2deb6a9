// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Rows are dealt by a prime: each once, unless there are as many.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = (i / cols) * 10007 % rows, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	float y = tanh(v);
	kf_store(out, r * out_stride + c, y);
}
