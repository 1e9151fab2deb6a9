// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect|unproven -
// The same, told by a quotient that is one.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)
uint bad = 0; for (uint i = 0; i < cols / 2; i++) bad += !(L(i) == L(cols - 1 - i)) || L(i) < 0.5f;
uint f = 1 / (bad + 1);for (uint i = 0; i < cols; i++) { uint j = (i - f * (i / 5003) * 5003); float v = L(j); S(i, v > 0.0f || v != v ? v : 0.0f); }
}
