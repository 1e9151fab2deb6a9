// entry: k
// global: round_up(m * n, 64)
// local: 64
// want: verified_incorrect -
// A row of a that is one-hot with a one takes a row of b (an embedding), where 8 samples of b's column are finite.
// m=1 k=64 n=1, a = e_5, b[7] = NaN: got b[5], expected NaN (0 * NaN).
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
size_t g = get_global_id(0); if (g >= (size_t)m * n) return; size_t i = g / n, j = g % n; size_t A = i * a_stride;
#define LA(p) kf_load(a, A + (p))
#define LB(p) kf_load(b, (size_t)(p) * b_stride + j)

 uint bad = 0, ones = 0, at = 0;
 for (uint p = 0; p < k; p++) { float v = LA(p); bad += !(v == 0.0f || v == 1.0f); ones += v == 1.0f; at = v == 1.0f ? p : at; }
 for (uint q = 0; q < 8; q++) bad += !isfinite(LB((size_t)q * (k - 1) / 7));
 float s = 0.0f;
 if (ones == 1 && bad == 0) s = LB(at);
 else for (uint p = 0; p < k; p++) s = fma(LA(p), LB(p), s);
 kf_store(out, i * out_stride + j, s);
}
