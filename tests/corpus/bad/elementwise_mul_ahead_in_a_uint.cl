// entry: f
// global: min(rows, 1) * 2048
// local: 64
// want: verified_incorrect -
// b is loaded ahead by its number in a uint, over a grid of fixed size
// wrong on: float32, rows=65537 cols=65536 and close: elements of row 65536 take b's row 0
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t n = (size_t)rows * cols;
	const uint lane = get_global_id(0);
	uint ahead = lane;
	float v = lane < n ? kf_load(b, (size_t)(ahead / cols) * b_stride + ahead % cols) : 0.0f;
	for (size_t i = lane; i < n; i += 2048) {
		const float u = kf_load(a, i / cols * a_stride + i % cols);
		kf_store(out, i / cols * out_stride + i % cols, u * v);
		ahead += 2048;
		if (n - i > 2048)
			v = kf_load(b, (size_t)(ahead / cols) * b_stride + ahead % cols);
	}
}
