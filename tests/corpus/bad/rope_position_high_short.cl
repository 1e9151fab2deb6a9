// entry: kern
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// Of a position the upper bits are a short.

__kernel void kern(__global const KF_T *x, __global const int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
size_t i = get_global_id(0); uint h = dim / 2; size_t d = i % h; size_t bs = i / h; size_t s = bs % seq;
short hi = (short)(positions[s] >> 8); int lo = positions[s] & 255; float ang = ((float)hi * 256.0f + (float)lo) * pow(base, -2.0f * (float)d / (float)dim);
float cs = cos(ang), sn = sin(ang);
float x1 = kf_load(x, bs * dim + d), x2 = kf_load(x, bs * dim + d + h);
kf_store(out, bs * dim + d, x1 * cs - x2 * sn); kf_store(out, bs * dim + d + h, x1 * sn + x2 * cs);
}
