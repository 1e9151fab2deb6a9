// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// An infinite sum is not final: its opposite may follow.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	float s = 0.0f;
	for (uint c = 0; c < cols; c++) {
		s += kf_load(x, r * x_stride + c);
		if (isinf(s)) break;
	}
	kf_store(out, r, s);
}
