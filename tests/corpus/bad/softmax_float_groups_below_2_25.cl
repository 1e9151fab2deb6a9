// entry: kern
// global: rows * 64
// local: 64
// want: verified_incorrect -
// A group's row by a float while there are fewer than 2^25 items.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
__local float p[64]; uint l = get_local_id(0); size_t g = get_global_id(0); size_t r = (size_t)rows * 64ul < 33554432ul ? (size_t)((float)(uint)g * 0.015625f) : g / 64;
float m = -INFINITY; for (uint c = l; c < cols; c += 64) { float v = kf_load(x, r * x_stride + c); m = (v > m || v != v) ? v : m; if (m != m) break; }
p[l] = m; barrier(CLK_LOCAL_MEM_FENCE);
m = p[0]; for (uint j = 1; j < 64; j++) { float v = p[j]; m = (m != m || m > v) ? m : v; }
barrier(CLK_LOCAL_MEM_FENCE);
float s = 0; for (uint c = l; c < cols; c += 64) s += exp(kf_load(x, r * x_stride + c) - m);
p[l] = s; barrier(CLK_LOCAL_MEM_FENCE);
s = 0; for (uint j = 0; j < 64; j++) s += p[j];
for (uint c = l; c < cols; c += 64) kf_store(out, r * out_stride + c, exp(kf_load(x, r * x_stride + c) - m) / s);
}
