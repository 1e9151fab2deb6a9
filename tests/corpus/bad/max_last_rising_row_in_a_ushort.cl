// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row that rises strictly has its maximum at its end; the row's number is kept in a ushort there.
// rows=65537 cols=17, all rows rise: out[65536] is unwritten, out[0] holds row 65536's maximum.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 bool up = false;
 if (cols >= 17) { uint bad = 0; for (uint i = 1; i < cols; i++) bad += !(L(i) > L(i - 1)); up = bad == 0; }
 if (up) { ushort q = (ushort)r; kf_store(out, q, L(cols - 1)); return; }
 float m = L(0);
 for (uint i = 1; i < cols; i++) { float v = L(i); m = isnan(m) || m > v ? m : v; }
 kf_store(out, r, m);
}
