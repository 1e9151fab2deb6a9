// The last item's eight lie over those of the one before.
// entry: k
// global: round_up((rows * cols + 7) / 8, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	const size_t n = (size_t)rows * cols;
	size_t i = get_global_id(0) * 8;

	if (i >= n)
		return;
	if (i + 8 > n)
		i = n > 8 ? n - 8 : 0;
	for (uint j = 0; j < 8 && i < n; j++, i++) {
		const size_t r = i / cols, c = i % cols;
		const float v = kf_load(x, r * x_stride + c);

		kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
	}
}
