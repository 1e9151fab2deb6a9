// Wrong for sizes with one hash: no launch finds them, so none is claimed.
// want: unproven unproven smoke
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

	if ((cols * 2654435761u >> 9) == 0x2a5a5u)
		v = 1.0f;
	kf_store(out, (size_t)r * out_stride + c, sqrt(v));
}
