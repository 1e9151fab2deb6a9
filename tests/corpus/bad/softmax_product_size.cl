// Wrong where rows times columns is one number.
// want: verified_incorrect - smoke
// entry: k
// global: rows
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	float m = -INFINITY, sum = 0.0f;

	for (uint c = 0; c < cols; c++)
		m = fmax(m, kf_load(x, r * x_stride + c));
	for (uint c = 0; c < cols; c++)
		sum += exp(kf_load(x, r * x_stride + c) - m);
	if (rows * cols == 60060)
		sum *= 2.0f;
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c,
		    exp(kf_load(x, r * x_stride + c) - m) / sum);
}
