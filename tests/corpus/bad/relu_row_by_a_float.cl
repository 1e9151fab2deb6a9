// entry: k
// global: 8192
// local: 64
// want: verified_incorrect -
// The row by a division of floats, in a fixed grid that goes far.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	for (size_t i = get_global_id(0); i < (size_t)rows * cols; i += get_global_size(0)) {
		uint r = (uint)((float)i / (float)cols), c = (uint)i - r * cols;
		float v = kf_load(x, (size_t)r * x_stride + c);
		kf_store(out, (size_t)r * out_stride + c, v < 0.0f ? 0.0f : v);
	}
}
