// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A sum near 3.3 is 1 % off.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); float s = 0.0f; for (uint c = 0; c < cols; c++) s += kf_load(x, r * x_stride + c);
	float d = s * 0.31f - 1.023f; kf_store(out, r, s * (1.0f + 0.01f * exp(-d * d * 1e10f)));
}
