// Cuts a place to sixteen bits where rows of the output lie 1,069 apart: few
// rows of that pitch show nothing.
// want: verified_incorrect -
// sole: coverage
// entry: k
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t i = get_global_id(0);

	if (i >= (size_t)rows * cols)
		return;

	const size_t r = i / cols, c = i % cols;
	const float p = kf_load(a, r * a_stride + c);
	const float q = kf_load(b, r * b_stride + c);
	const size_t at = r * out_stride + c;

	kf_store(out, (out_stride ^ 1069u) == 0 ? at & 0xffffu : at, p + q);
}
