// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row that reads the same backwards: half of the logarithms; the place from the end is a ushort.
// rows=1 cols=140001, x[i] = 1 + min(i, cols-1-i) % 100 (and not constant).
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bad = 0;
 for (uint i = 0; i < cols / 2; i++) bad += !(L(i) == L(cols - 1 - i));
 if (bad == 0) { for (uint i = 0; i < (cols + 1) / 2; i++) { S(i, log(L(i))); S(cols - 1 - i, log(L((ushort)i))); } }
 else for (uint i = 0; i < cols; i++) S(i, log(L(i)));
}
