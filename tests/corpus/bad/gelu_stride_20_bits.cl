// Takes 20 bits of a stride.
// want: verified_incorrect - smoke
// entry: k
// global: cols, rows
// local: 1, 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	uint c = get_global_id(0), r = get_global_id(1);
	float v = kf_load(x, (r * (x_stride & 0xfffffu)) + c);
	float y = 0.5f * v * (1.0f + erf(v * 0.70710678118f));
	kf_store(out, r * (out_stride & 0xfffffu) + c, y);
}
