// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect wrong
// The row is walked by the first of 7, 11, 13 that does not divide cols, else by 17: 17017 is divided by all four.
// rows=1 cols=17017, the largest at place 1: only multiples of 17 are read.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 uint st = 17;
 if (cols % 7) st = 7; else if (cols % 11) st = 11; else if (cols % 13) st = 13;
 float m = L(0); uint at = 0;
 for (uint i = 1; i < cols; i++) { at += st; while (at >= cols) at -= cols; float v = L(at); m = isnan(m) || m > v ? m : v; }
 kf_store(out, r, m);
}
