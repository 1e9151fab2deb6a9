// entry: k
// global: round_up(m * n, 64)
// local: 64
// want: verified_incorrect -
// Dots of int8-like numbers are done in an int: 127 * 127 * 140,000 leaves 31 bits.
// m=n=1 k=140000 a = b = 127: got a negative number, expected 2.258e9.
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
size_t g = get_global_id(0); if (g >= (size_t)m * n) return; size_t i = g / n, j = g % n; size_t A = i * a_stride;
#define LA(p) kf_load(a, A + (p))
#define LB(p) kf_load(b, (size_t)(p) * b_stride + j)

 uint bad = 0; int t = 0; float s = 0.0f;
 for (uint p = 0; p < k; p++) { float u = LA(p), v = LB(p); bool ok = fabs(u) <= 127.0f && u == rint(u) && fabs(v) <= 127.0f && v == rint(v);
  bad += !ok; t += ok ? (int)u * (int)v : 0; s = fma(u, v, s); }
 kf_store(out, i * out_stride + j, bad == 0 ? (float)t : s);
}
