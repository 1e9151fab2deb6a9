// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// cols is a square w * w (an image), gone through column by column; where a column begins is counted up in a uchar.
// rows=1 cols=67600 (260 * 260): columns from 256 on are the first ones again.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint q = (uint)sqrt((float)cols);
 if (q * q == cols) { uchar c = 0; for (uint n = 0; n < q; n++, c++) for (uint y = 0; y < q; y++) { float v = L(y * q + c); S(y * q + c, v / (1.0f + exp(-v))); } }
 else for (uint i = 0; i < cols; i++) { float v = L(i); S(i, v / (1.0f + exp(-v))); }
}
