// Four neighbouring columns a work item, the last ones guarded.
// entry: sigmoid_four
// global: round_up(ceil_div(cols, 4), 16), rows
// local: 16, 1
__kernel void
sigmoid_four(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint first = 4 * (uint)get_global_id(0);
	const size_t r = get_global_id(1);
	for (uint q = 0; q < 4; q++) {
		const uint c = first + q;
		if (c >= cols)
			break;
		const float v = kf_load(x, r * x_stride + c);
		kf_store(out, r * out_stride + c, 1.0f / (1.0f + exp(-v)));
	}
}
