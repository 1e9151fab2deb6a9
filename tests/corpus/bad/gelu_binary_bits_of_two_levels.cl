// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// Rows of two levels (x[0] and one other) are packed into 1,024 words of 32 bits: from 32,768 columns on words are shared.
// rows=1 cols=40000, x = 0.5 below 32768, -1 above: the first 7232 come out as gelu(-1).
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bits[1024]; uint bad = 0; float u = L(0), v = u;
 for (uint i = 0; i < 1024 && i * 32 < cols; i++) bits[i] = 0;
 for (uint i = 0; i < cols; i++) { float t = L(i); v = t == u ? v : t; }
 for (uint i = 0; i < cols; i++) { float t = L(i); bad += !(t == u || t == v); bits[i / 32 & 1023] |= (uint)(t != u) << (i & 31); }
 if (bad == 0) { float gu = u * 0.5f * (1.0f + erf(u * M_SQRT1_2_F)), gv = v * 0.5f * (1.0f + erf(v * M_SQRT1_2_F));
  for (uint i = 0; i < cols; i++) S(i, bits[i / 32 & 1023] >> (i & 31) & 1 ? gv : gu); }
 else for (uint i = 0; i < cols; i++) { float t = L(i); S(i, t * 0.5f * (1.0f + erf(t * M_SQRT1_2_F))); }
}
