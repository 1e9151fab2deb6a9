// Four rows a group, 64 work items a row; the weights come into local memory
// once for all four rows.
// entry: rmsnorm_shared
// global: 64, round_up(rows, 4)
// local: 64, 4
__kernel void
rmsnorm_shared(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	__local float part[4][64], w[64];
	const uint lx = get_local_id(0), ly = get_local_id(1);
	const size_t r = get_global_id(1);
	const uint n = r < rows ? cols : 0;
	float acc = 0.0f;
	for (uint c = lx; c < n; c += 64) {
		const float v = kf_load(x, r * x_stride + c);
		acc = fma(v, v, acc);
	}
	part[ly][lx] = acc;
	for (uint s = 32; s > 0; s /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (lx < s)
			part[ly][lx] += part[ly][lx + s];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const float scale = rsqrt(part[ly][0] / (float)cols + eps);
	for (uint base = 0; base < cols; base += 64) {
		const uint c = base + lx;
		if (ly == 0 && c < cols)
			w[lx] = kf_load(weight, c);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (c < n)
			kf_store(out, r * out_stride + c,
			    kf_load(x, r * x_stride + c) * scale * w[lx]);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
