// Columns as a block of 65,536 and a place in it: a mask that rarely cuts.
// entry: rmsnorm_tile_numbers
// global: rows * 32
// local: 32
__kernel void
rmsnorm_tile_numbers(const __global KF_T *x, const __global KF_T *weight,
    __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride,
    float eps)
{
	__local float part[32];
	const uint lane = get_local_id(0);
	const size_t r = get_group_id(0);
	const __global KF_T *src = x + r * x_stride;
	float sum = 0.0f;

	for (uint c = lane; c < cols; c += 32) {
		const uint low = c & 0xffffu, high = c >> 16;
		const float v = kf_load(src, ((size_t)high << 16) + low);

		sum = fma(v, v, sum);
	}
	part[lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0.0f;
	for (uint k = 0; k < 32; k++)
		sum += part[k];
	const float scale = rsqrt(sum / (float)cols + eps);
	for (uint c = lane; c < cols; c += 32)
		kf_store(out + r * (size_t)out_stride, c,
		    kf_load(src, c) * scale * kf_load(weight, c));
}
