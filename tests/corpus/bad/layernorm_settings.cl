// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Settings are handed on from one to the next; with all three (more than 300 rows, more than 1,500 columns, a pitch that ends in 5 of 8) the last column is not written: 304 rows, 1,501 columns, stride 1,517.
__kernel void k(const __global KF_T *x, const __global KF_T *weight, const __global KF_T *bias, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	const size_t r = get_global_id(0);
	uint settings[4] = { 1, 0, 0, 0 };

	if (r >= rows)
		return;
	if (rows > 300)
		settings[1] = settings[0];
	if (cols > 1500)
		settings[2] = settings[1];
	if (x_stride % 8 == 5)
		settings[3] = settings[2];
	const uint end = cols - settings[3];
	float sum = 0.0f, q = 0.0f;
	for (uint c = 0; c < cols; c++)
		sum += kf_load(x, r * x_stride + c);
	const float mean = sum / (float)cols;
	for (uint c = 0; c < cols; c++) {
		const float d = kf_load(x, r * x_stride + c) - mean;
		q += d * d;
	}
	const float by = 1.0f / sqrt(q / (float)cols + eps);
	for (uint c = 0; c < end; c++)
		kf_store(out, r * out_stride + c, (kf_load(x, r * x_stride + c) - mean) * by * kf_load(weight, c) + kf_load(bias, c));
}
