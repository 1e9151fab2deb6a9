// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row that repeats after 11 elements: 11 tanhs are kept; the place that is divided by 11 is a ushort.
// rows=1 cols=70000, x[i] = (i % 11) / 10: from 65536 on (65536 % 11 = 9) places are off by 9.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bad = 0; float t[11];
 for (uint i = 11; i < cols; i++) bad += !(L(i) == L(i - 11));
 for (uint i = 0; i < 11; i++) t[i] = i < cols ? tanh(L(i)) : 0.0f;
 if (bad == 0) for (uint i = 0; i < cols; i++) S(i, t[(ushort)i % 11]);
 else for (uint i = 0; i < cols; i++) S(i, tanh(L(i)));
}
