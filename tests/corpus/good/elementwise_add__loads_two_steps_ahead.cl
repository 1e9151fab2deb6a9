// entry: f
// global: rows * 64
// local: 64
// A row's 64 lanes have two loads under way: the pairs are handed on from round to round.
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t row = get_group_id(0);
	const __global KF_T *p = a + row * a_stride, *q = b + row * b_stride;
	const uint lane = get_local_id(0);
	float a0 = 0.0f, b0 = 0.0f, a1 = 0.0f, b1 = 0.0f;
	if (lane < cols) {
		a0 = kf_load(p, lane);
		b0 = kf_load(q, lane);
	}
	if (cols > 64 && lane < cols - 64) {
		a1 = kf_load(p, lane + 64);
		b1 = kf_load(q, lane + 64);
	}
	for (size_t c = lane; c < cols; c += 64) {
		float a2 = 0.0f, b2 = 0.0f;
		if (c + 128 < cols) {
			a2 = kf_load(p, c + 128);
			b2 = kf_load(q, c + 128);
		}
		kf_store(out, row * out_stride + c, a0 + b0);
		a0 = a1;
		b0 = b1;
		a1 = a2;
		b1 = b2;
	}
}
