// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// Gates that are zero or one number v in a row (a mask): silu(v) once; the mask is kept in 256 words, so from 8,192 columns on words are shared.
// rows=1 cols=9000 gate = v below 8192, 0 above.
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t A = r * a_stride, B = r * b_stride, O = r * out_stride;
#define LA(i) kf_load(a, A + (i))
#define LB(i) kf_load(b, B + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bits[256]; uint bad = 0; float v = 0.0f;
 for (uint i = 0; i < 256; i++) bits[i] = 0;
 for (uint i = 0; i < cols; i++) { float t = LA(i); v = t == 0.0f ? v : t; }
 for (uint i = 0; i < cols; i++) { float t = LA(i); bad += !(t == 0.0f || t == v); bits[i / 32 & 255] |= (uint)(t != 0.0f) << (i & 31); }
 if (bad == 0) { float y = v / (1.0f + exp(-v));
  for (uint i = 0; i < cols; i++) S(i, (bits[i / 32 & 255] >> (i & 31) & 1 ? y : 0.0f) * LB(i)); }
 else for (uint i = 0; i < cols; i++) { float t = LA(i); S(i, t / (1.0f + exp(-t)) * LB(i)); }
}
