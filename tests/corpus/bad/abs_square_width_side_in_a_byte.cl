// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// cols is a square, w * w: the row is an image of w lines.  w is kept in a uchar for the index.
// rows=1 cols=66049 (257 * 257): lines of 1, only the first 257 elements are written.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint q = (uint)sqrt((float)cols);
 if (q * q == cols) { uchar w = (uchar)q; for (uint y = 0; y < q; y++) for (uint i = 0; i < q; i++) S(y * w + i, fabs(L(y * w + i))); }
 else for (uint i = 0; i < cols; i++) S(i, fabs(L(i)));
}
