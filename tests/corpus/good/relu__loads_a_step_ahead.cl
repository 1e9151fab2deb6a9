// entry: f
// global: min(rows, 1) * 8192
// local: 64
// A grid of fixed size walks all elements, and loads the next one before it stores this one.
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t n = (size_t)rows * cols, step = get_global_size(0);
	size_t i = get_global_id(0);
	float next = i < n ? kf_load(x, i / cols * x_stride + i % cols) : 0.0f;
	for (; i < n; i += step) {
		const float v = next;
		if (n - i > step)
			next = kf_load(x, (i + step) / cols * x_stride + (i + step) % cols);
		kf_store(out, i / cols * out_stride + i % cols, v < 0.0f ? 0.0f : v);
	}
}
