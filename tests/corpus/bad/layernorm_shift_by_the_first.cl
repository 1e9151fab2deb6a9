// entry: k
// global: round_up(rows, 64)
// local: 64
// want: verified_incorrect -
// One pass, sums of x - x[0] and its square: cancels where x[0] is the outlier of a long row.
// cols=1000000 x[0]=1000, x = +-0.5: variance 1.25 is the difference of 1e6 and 1e6.
__kernel void k(const __global KF_T *x, const __global KF_T *w, const __global KF_T *bb, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride, float eps)
{
size_t r = get_global_id(0); if (r >= rows) return; size_t X = r * x_stride, O = r * out_stride;
#define L(i) kf_load(x, X + (i))
#define S(i, v) kf_store(out, O + (i), v)

 float f = L(0), s = 0.0f, t = 0.0f;
 for (uint q = 0; q < 64; q++) { float s1 = 0.0f, t1 = 0.0f; for (uint i = q; i < cols; i += 64) { float d = L(i) - f; s1 += d; t1 = fma(d, d, t1); } s += s1; t += t1; }
 float mu = s / (float)cols, var = t / (float)cols - mu * mu;

 float q = 1.0f / sqrt(var + eps);
 for (uint i = 0; i < cols; i++) S(i, ((L(i) - f) - mu) * q * kf_load(w, i) + kf_load(bb, i));
}
