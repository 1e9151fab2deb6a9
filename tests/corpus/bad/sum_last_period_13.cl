// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row that repeats after 13 elements: the sum of 13 times how often, and the rest as so many times the first element.
// cols=30 x[i] = i % 13: rest of 4 is 0+1+2+3 = 6, got 0.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride;
#define L(i) kf_load(x, X + (i))

 uint bad = 0; float s = 0.0f;
 if (cols >= 26) for (uint i = 13; i < cols; i++) bad += !(L(i) == L(i - 13));
 if (cols >= 26 && bad == 0) { for (uint i = 0; i < 13; i++) s += L(i); s *= (float)(cols / 13); for (uint i = 0; i < cols % 13; i++) s += L(0); }
 else for (uint i = 0; i < cols; i++) s += L(i);
 kf_store(out, r, s);
}
