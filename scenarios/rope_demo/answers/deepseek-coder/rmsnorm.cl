// entry: rmsnorm
// global: round_up(rows, 16)
// local: 16
//
// One work item a row; the sum of squares runs in four lanes, so that no
// lane adds more than a quarter of a long row.
__kernel void
rmsnorm(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	const size_t row = get_global_id(0);

	if (row >= rows)
		return;

	float lanes[4] = { 0.0f, 0.0f, 0.0f, 0.0f };

	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(x, row * x_stride + c);

		lanes[c % 4] += v * v;
	}

	const float mean =
	    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) / (float)cols;
	const float root = sqrt(mean + eps);

	for (uint c = 0; c < cols; c++)
		kf_store(out, row * out_stride + c,
		    kf_load(x, row * x_stride + c) / root * kf_load(weight, c));
}
