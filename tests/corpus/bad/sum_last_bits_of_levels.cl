// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// Partial sums by levels of 32 columns in 20 places.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); float part[20]; for (uint i = 0; i < 20; i++) part[i] = 0.0f; uint nb = 0;
	for (uint c0 = 0; c0 < cols; c0 += 32, nb++) {
		float s = 0.0f; uint e = min(c0 + 32u, cols); for (uint c = c0; c < e; c++) s += kf_load(x, r * x_stride + c);
		uint l = popcount(nb & ~(nb + 1u)); for (uint k = 0; k < l; k++) { s += part[k]; part[k] = 0.0f; } part[l] = s;
	}
	float s = 0.0f; for (uint i = 0; i < 20; i++) s += part[i];
	kf_store(out, r, s);
}
