// Wrong for values with one hash, told by a sign: a comparison that may well
// come out so, and never did.
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
	const int sign =
	    (int)((as_uint(v) * 2654435761u >> 4) + 0x70000003u);

	if (sign < 0)
		v = 1.0f;
	kf_store(out, (size_t)r * out_stride + c, sqrt(v));
}
