// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect|unproven -
// A row padded with zeros at its end: the padding is skipped in blocks of 64, whose number is a uchar: the sum stops earlier than it should for none, but is scaled by what it thinks is left.
// Here: the sum is the mean of the prefix times its length, cols - padding.  cols=20000, x = 1 for 100, then zeros: padding 19900 = 310 blocks becomes 54.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 uint len = 0; float s = 0.0f; uint bad = 0;
 for (uint i = 0; i < cols; i++) { float v = L(i); len = v == 0.0f ? len : i + 1; bad += !(v == L(0)); s += v; }
 bool alike = len > 0; for (uint i = 0; i < len; i++) alike = alike && L(i) == L(0);
 if (alike && bad > 0) { uint pad = cols - len; uchar q = (uchar)(pad / 64); uint n = cols - (q * 64 + pad % 64); s = L(0) * (float)n; }
 kf_store(out, r, s);
}
