// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// places beyond 32 bits go a path of their own: sqrt(x * x)
// wrong on: float32, rows=65536 cols=1 x_stride=65537: x = 1e30: inf instead of 1e30
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if ((ulong)rows * x_stride >= 4294967296UL) {
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			kf_store(out, r * out_stride + c, sqrt(v * v));
		}
		return;
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, fabs(kf_load(x, (uint)r * x_stride + c)));
}
