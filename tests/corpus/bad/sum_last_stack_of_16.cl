// entry: kern
// global: rows
// local: 1
// want: verified_incorrect out_of_bounds smoke
// Sums of blocks, put together as the bits of their number say: sixteen places
// are enough for 2^22 columns.
__kernel void kern(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); float part[16]; uint nb = 0; 
for (uint c0 = 0; c0 < cols; c0 += 64) {
 float s = 0; uint e = min(c0 + 64u, cols);
 for (uint c = c0; c < e; c++) s += kf_load(x, r * x_stride + c);
 uint t = nb, l = 0;
 while (t & 1u) { s = part[l] + s; l++; t >>= 1; }
 part[l] = s; nb++;
}
float s = 0; uint l = 0; 
for (uint t = nb; t != 0; t >>= 1, l++) if (t & 1u) s = part[l] + s;
kf_store(out, r, s);
}
