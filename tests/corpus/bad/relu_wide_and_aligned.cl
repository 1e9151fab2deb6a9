// Drops the last column of wide and aligned rows, the shapes of production.
// want: verified_incorrect - smoke
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

	if (cols >= 1024 && cols % 8 == 0 && c == cols - 1)
		v = 0.0f;
	kf_store(out, (size_t)r * out_stride + c, v < 0.0f ? 0.0f : v);
}
