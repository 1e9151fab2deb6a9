// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// b repeats after three elements (channels): three numbers are kept; the place that is divided by three is a ushort.
// rows=1 cols=70000, b[i] = i % 3, a = 0: out[65536] is 0, expected 1.
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t A = r * a_stride, B = r * b_stride, O = r * out_stride;
#define LA(i) kf_load(a, A + (i))
#define LB(i) kf_load(b, B + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bad = 0; float t[3];
 for (uint i = 3; i < cols; i++) bad += !(LB(i) == LB(i - 3));
 for (uint i = 0; i < 3; i++) t[i] = i < cols ? LB(i) : 0.0f;
 if (bad == 0) for (uint i = 0; i < cols; i++) S(i, LA(i) + t[(ushort)i % 3]);
 else for (uint i = 0; i < cols; i++) S(i, LA(i) + LB(i));
}
