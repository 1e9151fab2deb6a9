// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A path for wide rows looks for the largest among the first 1,024 columns.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); float m = -INFINITY; uint lim = (cols >= 2048u && rows % 4u == 0u) ? 1024u : cols;
for (uint c = 0; c < lim; c++) { float v = kf_load(x, r * x_stride + c); m = v > m ? v : m; }
float s = 0; for (uint c = 0; c < cols; c++) s += exp(kf_load(x, r * x_stride + c) - m);
for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
