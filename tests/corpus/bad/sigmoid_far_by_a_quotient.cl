// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// places beyond 32 bits go a path of their own: e / (1 + e)
// wrong on: float32, rows=65536 cols=1 x_stride=65537: x = 100: inf / inf: NaN instead of 1
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0);
	if ((ulong)rows * x_stride >= 4294967296UL) {
		for (uint c = 0; c < cols; c++) {
			const float e = exp(kf_load(x, r * x_stride + c));
			kf_store(out, r * out_stride + c, e / (1.0f + e));
		}
		return;
	}
	for (uint c = 0; c < cols; c++)
		kf_store(out, r * out_stride + c, 1.0f / (1.0f + exp(-kf_load(x, (uint)r * x_stride + c))));
}
