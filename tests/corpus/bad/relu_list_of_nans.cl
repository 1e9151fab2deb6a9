// entry: k
// global: 4096
// local: 16
// want: verified_incorrect -
// wrong on: float32, 1 x 600000, all NaN: each of 256 groups finds 2344 NaNs, its list has 2048 places, the first
// 296 are overwritten and stay unwritten.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local ulong list[2048];
	__local uint n;
	uint l = get_local_id(0);
	const size_t all = (size_t)rows * cols;

	if (l == 0)
		n = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t i = get_global_id(0); i < all; i += 4096) {
		size_t r = i / cols, c = i % cols;
		float v = kf_load(x, r * x_stride + c);
		if (isnan(v))
			list[atomic_inc(&n) & 2047u] = i;
		else
			kf_store(out, r * out_stride + c, v > 0.0f ? v : 0.0f);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint j = l; j < n; j += 16) {
		size_t i = list[j & 2047u];
		kf_store(out, i / cols * out_stride + i % cols, NAN);
	}
}
