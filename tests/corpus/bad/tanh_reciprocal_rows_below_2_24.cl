// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A row's number by a float reciprocal while there are at most 2^24 elements.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t i = get_global_id(0); size_t total = (size_t)rows * cols; size_t r;
if (total <= 16777216ul) r = (size_t)(((float)i + 0.5f) * (1.0f / (float)cols)); else r = i / cols;
size_t c = i - r * cols;
kf_store(out, r * out_stride + c, tanh(kf_load(x, r * x_stride + c)));
}
