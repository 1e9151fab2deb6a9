// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A path for aligned columns multiplies by the reciprocal root, zeros too.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; float v = kf_load(x, r * x_stride + c);
	kf_store(out, r * out_stride + c, (rows >= 200u && cols % 32u == 0u) ? v * rsqrt(v) : sqrt(v));
}
