// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A place is a float while there are fewer than 2^25.

__kernel void kern(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
size_t i = get_global_id(0); if ((size_t)rows * cols < 33554432ul) i = (size_t)(float)i;
size_t r = i / cols, c = i % cols;
kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) * kf_load(b, r * b_stride + c));
}
