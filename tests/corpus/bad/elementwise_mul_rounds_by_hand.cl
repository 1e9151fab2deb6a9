// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect wrong
// wrong on: bfloat16, any size, a = 0, b = inf, on a device whose arithmetic makes
// the NaN 0x7fffffff (every NVIDIA GPU): + 0x7fff + 1 runs over into 0x80007fff, and
// -0.0 is stored instead of NaN.
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out,
    uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	size_t r = i / cols, c = i % cols;
	float y = kf_load(a, r * a_stride + c) * kf_load(b, r * b_stride + c);
#if KF_DTYPE == 2
	uint u = as_uint(y);
	out[r * out_stride + c] = (ushort)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
#else
	kf_store(out, r * out_stride + c, y);
#endif
}
