// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Places of 32 bits behind a guard that looks at one stride of three.

__kernel void kern(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; float y;
if ((size_t)rows * a_stride <= 0xffffffffu) { uint r4 = (uint)r, c4 = (uint)c; y = kf_load(a, r4 * a_stride + c4) + kf_load(b, r4 * b_stride + c4); }
else y = kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c);
kf_store(out, r * out_stride + c, y);
}
