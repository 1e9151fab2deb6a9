// entry: kern
// global: ceil_div(cols, 3), rows
// local: 1, 1
// want: verified_incorrect -
// The middle of three evenly spaced elements less than 1/256 apart is interpolated: wrong for -10, -9.9982, -9.9963 (1.8 bounds).
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const uint c0 = get_global_id(0) * 3;
	const size_t r = get_global_id(1);
	float v[3] = { 0.0f, 1.0f, 0.0f }, y[3];
	for (uint j = 0; j < 3 && c0 + j < cols; j++)
		v[j] = kf_load(x, r * x_stride + c0 + j);
	y[0] = 1.0f / (1.0f + exp(-v[0]));
	y[2] = 1.0f / (1.0f + exp(-v[2]));
	if (v[1] - v[0] == v[2] - v[1] && fabs(v[2] - v[0]) < 0.00390625f)
		y[1] = 0.5f * y[0] + 0.5f * y[2];
	else
		y[1] = 1.0f / (1.0f + exp(-v[1]));
	for (uint j = 0; j < 3 && c0 + j < cols; j++)
		kf_store(out, r * out_stride + c0 + j, y[j]);
}
