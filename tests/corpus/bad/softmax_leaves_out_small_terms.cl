// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// Leaves terms below exp(-15) out of the sum, however many they are.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t xo = get_global_id(0) * (size_t)x_stride, oo = get_global_id(0) * (size_t)out_stride;
	float m = -INFINITY, sum = 0.0f;
	for (uint c = 0; c < cols; c++)
		m = fmax(m, kf_load(x, xo + c));
	for (uint c = 0; c < cols; c++) {
		const float d = kf_load(x, xo + c) - m;
		if (d < -15.0f)
			continue;
		sum += exp(d);
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, oo + c, exp(kf_load(x, xo + c) - m) / sum);
}
