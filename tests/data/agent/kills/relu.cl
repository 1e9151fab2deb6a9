// One work item an element.
// entry: plain_relu
// global: round_up(rows * cols, 64)
// local: 64
__kernel void
plain_relu(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols)
		return;
	size_t r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, isnan(v) || v > 0.0f ? v : 0.0f);
}
