// entry: kern
// global: ceil_div(cols, 8), rows
// local: 1, 1
// want: verified_incorrect -
// Eight elements that differ by less than 1e-6 of the first are taken for one: wrong for 1, 1.0000005, ...
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint c0 = get_global_id(0) * 8, n = min(cols - c0, 8u);
	size_t r = get_global_id(1);
	const __global KF_T *p = x + r * x_stride + c0;
	__global KF_T *q = out + r * out_stride + c0;
	float first = kf_load(p, 0);
	int flat = 1;
	for (uint j = 1; j < n; j++)
		flat &= fabs(kf_load(p, j) - first) < 1e-6f * fabs(first);
	float y = log(first);
	for (uint j = 0; j < n; j++) {
		if (!flat)
			y = log(kf_load(p, j));
		kf_store(q, j, y);
	}
}
