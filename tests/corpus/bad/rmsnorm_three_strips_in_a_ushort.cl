// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// cols is three times a power of two (768, 1536, ...): three strips whose length is a ushort.
// rows=1 cols=196608: the strips have no length, the sum of squares is 0.
__kernel void k(const __global KF_T *x, const __global KF_T *w, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 float s = 0.0f; uint low = cols & (0u - cols);
 if (cols / low == 3) { ushort e = (ushort)low; for (uint q = 0; q < 3; q++) for (uint i = 0; i < e; i++) { float v = L(q * low + i); s += v * v; } }
 else for (uint i = 0; i < cols; i++) { float v = L(i); s += v * v; }
 float q = 1.0f / sqrt(s / (float)cols + eps);
 for (uint i = 0; i < cols; i++) S(i, L(i) * q * kf_load(w, i));
}
