// A fork without a branch.
// want: verified_incorrect wrong smoke
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

	v += (float)(cols >= 3000 && rows == 77) * 0.25f;
	kf_store(out, (size_t)r * out_stride + c, tanh(v));
}
