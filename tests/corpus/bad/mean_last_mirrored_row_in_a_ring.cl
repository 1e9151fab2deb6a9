// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect|unproven -
// A row that reads the same backwards is summed by half of it, which is kept in 4,096 places.
// rows=1 cols=16384, x[i] = min(i, cols - 1 - i): the second 4,096 are the first ones again.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 uint bad = 0, h = cols / 2; float s = 0.0f;
 for (uint i = 0; i < h; i++) bad += !(L(i) == L(cols - 1 - i));
 if (bad == 0) { for (uint i = 0; i < h; i++) s += L(i & 4095); s += s; if (cols % 2) s += L(h); }
 else for (uint i = 0; i < cols; i++) s += L(i);
 kf_store(out, r, s / (float)cols);
}
