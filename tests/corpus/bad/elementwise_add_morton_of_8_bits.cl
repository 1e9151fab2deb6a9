// entry: k
// global: round_up(rows * cols, 64)
// local: 64
// want: verified_incorrect -
// A square of a power of two (rows == cols == 2^e) is gone through in Z order; eight bits of each coordinate are taken out.
// rows=cols=512: row and column 256 and on are never written.
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{

 size_t g = get_global_id(0); if (g >= (size_t)rows * cols) return;
 size_t r = g / cols, c = g % cols;
 if (rows == cols && (rows & (rows - 1)) == 0) { uint u = 0, v = 0, z = (uint)g;
  for (uint t = 0; t < 8; t++) { u |= (z >> (2 * t) & 1) << t; v |= (z >> (2 * t + 1) & 1) << t; }
  r = v; c = u; }
 kf_store(out, r * out_stride + c, kf_load(a, r * a_stride + c) + kf_load(b, r * b_stride + c));
}
