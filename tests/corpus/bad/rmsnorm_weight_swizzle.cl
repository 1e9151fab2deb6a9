// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// Weights of blocks of 8 in steps of 67 read back wrongly where blocks are a
// multiple of 67.
__kernel void kern(const __global KF_T *x, const __global KF_T *weight, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
	size_t r = get_global_id(0); float s = 0.0f; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); s += v * v; }
	float k = 1.0f / sqrt(s / (float)cols + eps); uint nb = cols / 8;
	for (uint q = 0; q < nb; q++) { uint b = (uint)((ulong)q * 67u % nb) * 8; for (uint j = 0; j < 8; j++) kf_store(out, r * out_stride + b + j, kf_load(x, r * x_stride + b + j) * k * kf_load(weight, b + j)); }
	for (uint c = nb * 8; c < cols; c++) kf_store(out, r * out_stride + c, kf_load(x, r * x_stride + c) * k * kf_load(weight, c));
}
