// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// cols is a triangular number w (w + 1) / 2 (a packed symmetric matrix): line y begins at y (y + 1) / 2, kept in a ushort.
// rows=1 cols=80200 (w = 400): lines from 362 on begin 65536 too early.
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t A = r * a_stride, B = r * b_stride, O = r * out_stride;
#define LA(i) kf_load(a, A + (i))
#define LB(i) kf_load(b, B + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint q = (uint)((sqrt(8.0f * (float)cols + 1.0f) - 1.0f) * 0.5f);
 if (q * (q + 1) / 2 == cols) for (uint y = 0; y < q; y++) { ushort f = (ushort)(y * (y + 1) / 2); for (uint i = 0; i <= y; i++) S(f + i, LA(f + i) * LB(f + i)); }
 else for (uint i = 0; i < cols; i++) S(i, LA(i) * LB(i));
}
