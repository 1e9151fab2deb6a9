// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// Rows that fall strictly (17 columns and more) have their maximum first, and are read again at r * cols.
// rows=2 cols=20 x_stride=24: row 1's exponentials are of other elements.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 bool down = false;
 if (cols >= 17) { uint bad = 0; for (uint i = 1; i < cols; i++) bad += !(L(i) < L(i - 1)); down = bad == 0; }
 float mx = -INFINITY, s = 0.0f; bool nan = false;
 if (down) { mx = L(0); X = r * cols; }
 else { for (uint i = 0; i < cols; i++) { float t = L(i); nan = nan || isnan(t); mx = fmax(mx, t); } if (nan) mx = NAN; }
 for (uint i = 0; i < cols; i++) s += exp(L(i) - mx);
 for (uint i = 0; i < cols; i++) S(i, exp(L(i) - mx) / s);
}
