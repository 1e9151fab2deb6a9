// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A path for wide and aligned rows takes the first element away and not the largest.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); float m;
if (cols > 4096u && cols % 4u == 0u) m = kf_load(x, r * x_stride);
else { m = -INFINITY; for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = v > m ? v : m; } }
float s = 0; for (uint c = 0; c < cols; c++) s += exp(kf_load(x, r * x_stride + c) - m);
for (uint c = 0; c < cols; c++) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
