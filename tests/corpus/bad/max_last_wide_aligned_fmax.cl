// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// A path for wide and aligned rows takes the maximum by fmax: NaNs are lost.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); float m = -INFINITY;
if (cols >= 8192u && cols % 256u == 0u) { for (uint c = 0; c < cols; c++) m = fmax(m, kf_load(x, r * x_stride + c)); }
else for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = (m != m || m > v) ? m : v; }
kf_store(out, r, m);
}
