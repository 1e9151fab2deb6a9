// One value is taken for another one.
// want: verified_incorrect - smoke
// sole: coverage
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const uint r = i / cols, c = i % cols;
	float v = kf_load(x, (size_t)r * x_stride + c);

	if (v == 1.2345f)
		v = 1.25f;
	kf_store(out, (size_t)r * out_stride + c, v / (1.0f + exp(-v)));
}
