// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// Rows of whole numbers up to 127 are summed in an int: 127 * 17,000,000 leaves 31 bits.
// rows=1 cols=17000000 x = 127: got a negative number, expected 2.159e9.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 uint bad = 0; int t = 0; float s = 0.0f;
 for (uint i = 0; i < cols; i++) { float v = L(i); bool ok = fabs(v) <= 127.0f && v == rint(v); bad += !ok; t += ok ? (int)v : 0; s += v; }
 kf_store(out, r, bad == 0 ? (float)t : s);
}
