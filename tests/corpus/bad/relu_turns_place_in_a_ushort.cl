// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row that alternates (v, -v, ...) is made of two numbers; its places are counted in a ushort.
// rows=1 cols=70000, x = 1,-1,...: from 65536 on nothing is written (the count of rounds is cut).
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bad = 0;
 for (uint i = 1; i < cols; i++) bad += !(L(i) == -L(i - 1));
 if (bad == 0 && L(0) != 0.0f) { float v = L(0); ushort n = (ushort)cols; for (uint i = 0; i < n; i++) { float t = i % 2 ? -v : v; S(i, t < 0.0f ? 0.0f : t); } }
 else for (uint i = 0; i < cols; i++) { float v = L(i); S(i, v < 0.0f ? 0.0f : v); }
}
