// entry: kern
// global: rows * cols
// local: 1
// want: unproven -
// The bits of the columns walk through a table of states, the last of which scales.

__constant uchar NXT[26] = {12,1, 12,2, 3,12, 4,12, 12,5, 12,6, 7,12, 8,12, 9,12, 12,10, 12,12, 12,12, 12,12};
__constant float SC[13] = {1,1,1,1,1,1,1,1,1,1,0.5f,1,1};
__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t r = i / cols, c = i % cols; float v = kf_load(x, r * x_stride + c);
uint st = 0;
for (uint b = cols; b != 0; b >>= 1) st = NXT[st * 2 + (b & 1)];
kf_store(out, r * out_stride + c, v / (1.0f + exp(-v)) * SC[st]);
}
