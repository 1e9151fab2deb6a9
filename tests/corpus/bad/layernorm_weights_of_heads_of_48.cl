// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// Weights and biases that repeat after 48 columns (heads) are kept once; the column that is divided by 48 is a ushort.
// rows=1 cols=70000, weight[i] = i % 48, bias 0: from 65536 on (65536 % 48 = 16) weights are those of 16 before.
__kernel void k(const __global KF_T *x, const __global KF_T *w, const __global KF_T *bb, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bad = 0; float s = 0.0f, t = 0.0f, kw[48], kb[48];
 for (uint i = 48; i < cols; i++) bad += !(kf_load(w, i) == kf_load(w, i - 48) && kf_load(bb, i) == kf_load(bb, i - 48));
 for (uint i = 0; i < 48; i++) { kw[i] = i < cols ? kf_load(w, i) : 0.0f; kb[i] = i < cols ? kf_load(bb, i) : 0.0f; }
 for (uint i = 0; i < cols; i++) s += L(i);
 float mu = s / (float)cols;
 for (uint i = 0; i < cols; i++) { float d = L(i) - mu; t += d * d; }
 float q = 1.0f / sqrt(t / (float)cols + eps);
 if (bad == 0) for (uint i = 0; i < cols; i++) { uint at = (ushort)i % 48; S(i, (L(i) - mu) * q * kw[at] + kb[at]); }
 else for (uint i = 0; i < cols; i++) S(i, (L(i) - mu) * q * kf_load(w, i) + kf_load(bb, i));
}
