// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Two tables by parts of the columns, each zero but for one entry.

__constant float T1[64] = {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0.5f,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0};
__constant float T2[64] = {0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0};
__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; float v = kf_load(x, r * x_stride + c);
kf_store(out, r * out_stride + c, 1.0f / (1.0f + exp(-v)) * (1.0f + T1[cols & 63u] * T2[(cols >> 6) & 63u]));
}
