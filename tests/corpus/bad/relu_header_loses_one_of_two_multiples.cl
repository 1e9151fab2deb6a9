// entry: kern
// global: rows * cols - 1 / (1 + cols % 1009 + rows % 13)
// local: 1
// want: verified_incorrect -
// The header takes one item away where both sizes are certain multiples.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; float v = kf_load(x, r * x_stride + c);
kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
}
