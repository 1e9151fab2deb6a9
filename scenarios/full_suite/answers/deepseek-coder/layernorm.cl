// Four rows a group, sixteen work items a row; each sums all partial sums.
// entry: layernorm_rows
// global: 16, round_up(rows, 4)
// local: 16, 4
__kernel void
layernorm_rows(const __global KF_T *x, const __global KF_T *weight,
    const __global KF_T *bias, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride, float eps)
{
	__local float sums[4][16], squares[4][16];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const size_t r = get_global_id(1);
	const uint n = r < rows ? cols : 0;
	float acc = 0.0f;
	for (uint c = lx; c < n; c += 16)
		acc += kf_load(x, r * x_stride + c);
	sums[ly][lx] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	acc = 0.0f;
	for (uint i = 0; i < 16; i++)
		acc += sums[ly][i];
	const float mean = acc / (float)cols;
	acc = 0.0f;
	for (uint c = lx; c < n; c += 16) {
		const float d = kf_load(x, r * x_stride + c) - mean;
		acc += d * d;
	}
	squares[ly][lx] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	acc = 0.0f;
	for (uint i = 0; i < 16; i++)
		acc += squares[ly][i];
	const float inv = 1.0f / sqrt(acc / (float)cols + eps);
	for (uint c = lx; c < n; c += 16)
		kf_store(out, r * out_stride + c,
		    (kf_load(x, r * x_stride + c) - mean) * inv *
			kf_load(weight, c) + kf_load(bias, c));
}
