// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A flat path for close inputs and many rows forgets the output's stride.

__kernel void kern(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; 
if (a_stride == cols && b_stride == cols && rows >= 256u) kf_store(out, i, kf_load(a, i) * kf_load(b, i));
else kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) * kf_load(b, r * b_stride + c));
}
