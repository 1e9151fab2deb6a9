// entry: relu
// global: rows * cols
// local: 1
//
// timeout: right, and no launch is late; but the first items of each count to
// 60,000 where no compiler may help, and all launches together take too long.
// want: timeout timeout

__kernel void relu(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const size_t r = i / cols;
	const size_t c = i % cols;
	const float v = kf_load(x, r * x_stride + c);
	const uint rounds = i < 4096 ? 60000u : 0;

	for (volatile uint round = 0; round < rounds; round++)
		;
	kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
}
