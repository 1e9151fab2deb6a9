// Loses a row's upper bits in a shift there and back.
// want: verified_incorrect - smoke
// entry: k
// global: rows
// local: 1
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	uint r = (uint)get_global_id(0) << 6 >> 6;
	float s = 0.0f;
	for (uint c = 0; c < cols; c++)
		s += kf_load(x, (size_t)r * x_stride + c);
	kf_store(out, r, s);
}
