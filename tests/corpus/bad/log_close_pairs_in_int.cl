// entry: k
// global: ceil_div(rows * cols, 2)
// local: 1
// want: verified_incorrect -
// Where rows lie close a pair's place is an int.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t g = get_global_id(0);
	if (x_stride == cols && out_stride == cols) {
		int i = (int)g * 2;
		for (int j = 0; j < 2; j++)
			if (i + j < (long)rows * cols) kf_store(out, i + j, log(kf_load(x, i + j)));
	} else
		for (size_t i = g * 2; i < g * 2 + 2; i++)
			if (i < (size_t)rows * cols) kf_store(out, i / cols * out_stride + i % cols, log(kf_load(x, i / cols * x_stride + i % cols)));
}
