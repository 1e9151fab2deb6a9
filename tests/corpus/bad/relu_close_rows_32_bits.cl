// entry: k
// global: cols, rows
// local: 1, 1
// want: verified_incorrect -
// Where rows lie close their places are computed in 32 bits.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint c = get_global_id(0), r = get_global_id(1);
	if (x_stride == cols && out_stride == cols) {
		uint i = r * cols + c;
		float v = kf_load(x, i);
		kf_store(out, i, v < 0.0f ? 0.0f : v);
		return;
	}
	float v = kf_load(x, (size_t)r * x_stride + c);
	kf_store(out, (size_t)r * out_stride + c, v < 0.0f ? 0.0f : v);
}
