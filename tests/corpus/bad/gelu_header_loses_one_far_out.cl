// entry: kern
// global: rows * cols - rows * cols / 10000000 % 2
// local: 1
// want: unproven -
// The header leaves one item away while tens of millions are odd.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; float v = kf_load(x, r * x_stride + c);
kf_store(out, r * out_stride + c, 0.5f * v * (1.0f + erf(v * 0.70710678f)));
}
