// entry: layernorm_serial
// global: rows * 64
// local: 64
// want: verified_incorrect -
// Takes an eps of at most a thousandth for granted where rows are few and three
// more than a multiple of eight.

__kernel void
layernorm_serial(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	const float eps0 = select((float)(eps), (float)(fmin(eps, 1e-3f)), (int)(((rows <= 27u) && ((rows) % 8u == 3u))));
	__local float shared[2];
	const __global KF_T *src = x + get_group_id(0) * (size_t)x_stride;
	__global KF_T *dst = out + get_group_id(0) * (size_t)out_stride;
	if (get_local_id(0) == 0) {
		float sum = 0.0f, squares = 0.0f;
		for (uint c = 0; c < cols; c++)
			sum += kf_load(src, c);
		const float mean = sum / (float)cols;
		for (uint c = 0; c < cols; c++) {
			const float d = kf_load(src, c) - mean;
			squares = fma(d, d, squares);
		}
		shared[0] = mean;
		shared[1] = 1.0f / sqrt(squares / (float)cols + eps0);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = get_local_id(0); c < cols; c += get_local_size(0))
		kf_store(dst, c, (kf_load(src, c) - shared[0]) * shared[1] *
			kf_load(weight, c) + kf_load(bias, c));
}
