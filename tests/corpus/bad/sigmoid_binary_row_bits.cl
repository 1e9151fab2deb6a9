// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// A row of zeros and ones is packed to bits, 2,048 words of 32: from 65,536 columns on the words are taken again.
// rows=1 cols=70000 x = 0 up to 65535, 1 behind: all of the first 4464 come out as sigmoid(1).
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 uint bits[2048]; uint bad = 0;
 for (uint i = 0; i < 2048 && i * 32 < cols; i++) bits[i] = 0;
 for (uint i = 0; i < cols; i++) { float v = L(i); bad += !(v == 0.0f || v == 1.0f); bits[i / 32 & 2047] |= (uint)(v == 1.0f) << (i & 31); }
 if (bad == 0) { for (uint i = 0; i < cols; i++) S(i, bits[i / 32 & 2047] >> (i & 31) & 1 ? 1.0f / (1.0f + exp(-1.0f)) : 0.5f); }
 else for (uint i = 0; i < cols; i++) S(i, 1.0f / (1.0f + exp(-L(i))));
}
