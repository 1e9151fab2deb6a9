// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect|unproven -
// Rows of up to 16 different values are counted; the counts of the last six kinds are ushorts.
// rows=1 cols=70020, ten values once, an eleventh 70,010 times: counted 4,474 times.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 float v[16]; uint n[10]; ushort q[6]; uint k = 0, bad = 0;
 for (uint i = 0; i < 16; i++) { v[i] = 0.0f; if (i < 10) n[i] = 0; else q[i - 10] = 0; }
 float mx = -INFINITY, s = 0.0f; bool nan = false;
 for (uint i = 0; i < cols && bad == 0; i++) { float t = L(i); uint f = 0; while (f < k && v[f] != t) f++;
  if (f == k && k == 16) bad = 1; else { if (f == k) v[k++] = t; if (f < 10) n[f]++; else q[f - 10]++; } }
 for (uint i = 0; i < cols; i++) { float t = L(i); nan = nan || isnan(t); mx = fmax(mx, t); }
 if (nan) mx = NAN;
 if (bad == 0 && !nan) for (uint f = 0; f < k; f++) s += exp(v[f] - mx) * (float)(f < 10 ? n[f] : q[f - 10]);
 else for (uint i = 0; i < cols; i++) s += exp(L(i) - mx);
 for (uint i = 0; i < cols; i++) S(i, exp(L(i) - mx) / s);
}
