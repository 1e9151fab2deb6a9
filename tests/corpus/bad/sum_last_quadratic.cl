// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row of whole numbers with constant second differences is summed by its closed form n a + d C(n,2) + e C(n,3); n (n-1) (n-2) is a uint.
// cols=4096 x[i] = i(i-1)/2 mod nothing: use x[i] = i*(i-1)/2, whole below 2^23: got the wrapped product.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 if (cols >= 3) {
  float d = L(1) - L(0), e = L(2) - L(1) - d; uint bad = 0;
  for (uint i = 0; i < cols; i++) { float v = L(i); bad += !(fabs(v) < 8388608.0f && v == rint(v)); }
  for (uint i = 3; i < cols; i++) bad += !(L(i) - L(i - 1) - (L(i - 1) - L(i - 2)) == e);
  if (bad == 0) {
   uint n3 = cols * (cols - 1) * (cols - 2) / 6;
   long t = (long)cols * (long)L(0) + (long)d * ((long)cols * (cols - 1) / 2) + (long)e * (long)n3;
   kf_store(out, r, (float)t); return;
  }
 }
 float s = 0.0f; for (uint i = 0; i < cols; i++) s += L(i);
 kf_store(out, r, s);
}
