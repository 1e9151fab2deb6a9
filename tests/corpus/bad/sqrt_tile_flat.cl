// entry: kern
// global: round_up(cols, 64), rows
// local: 64, 1
// want: verified_incorrect -
// A tile of 64 whose largest and least (of keys of 27 bits) are the same is one number: wrong for 1, 1.000003 ... in float32.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint most, least;
	const size_t c = get_global_id(0), r = get_global_id(1), c0 = get_group_id(0) * 64;
	if (get_local_id(0) == 0) {
		most = 0;
		least = 0xffffffffu;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const float v = c < cols ? kf_load(x, r * x_stride + c) : kf_load(x, r * x_stride + c0);
	const uint key = as_uint(v) >> 5;
	atomic_max(&most, key);
	atomic_min(&least, key);
	barrier(CLK_LOCAL_MEM_FENCE);
	float y = sqrt(v);
	if (most == least)
		y = sqrt(kf_load(x, r * x_stride + c0));
	if (c < cols)
		kf_store(out, r * out_stride + c, y);
}
