// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// Walks a row by steps of 4,093 times 4,099, which does not go round where a row is a multiple of either.

__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); float m = -INFINITY;
for (uint i = 0; i < cols; i++) { float v = kf_load(x, r * x_stride + (size_t)((ulong)i * 16777207u % cols)); m = (v > m || v != v) ? v : m; if (m != m) break; }
kf_store(out, r, m);
}
