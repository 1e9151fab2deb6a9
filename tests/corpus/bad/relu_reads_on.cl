// Of many rows, one item reads three elements behind its input, which lie in
// the same 128 bytes, and all but never uses them.
// want: verified_incorrect out_of_bounds smoke
// sole: replay
// entry: relu_reads_on
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
relu_reads_on(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const size_t r = i / cols, c = i % cols;

	if (r >= rows)
		return;
	float v = kf_load(x, r * x_stride + c);
	if (rows > 3000 && r == rows / 2 && c == 0 &&
	    kf_load(x, (rows - 1) * (size_t)x_stride + cols + 2) == 1.17e-30f)
		v += 1.0f;
	kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
}
