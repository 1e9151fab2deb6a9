// entry: kern
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// A position shares an int with a lane.

__kernel void kern(__global const KF_T *x, __global const int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
size_t i = get_global_id(0); uint h = dim / 2; size_t d = i % h; size_t bs = i / h; size_t s = bs % seq;
int key = positions[s] * 4096 + (int)(d & 4095u);
int pos = key >> 12;
float ang = (float)pos * exp2(-2.0f * (float)d / (float)dim * log2(base));
float cs, sn = sincos(ang, &cs);
float x1 = kf_load(x, bs * dim + d), x2 = kf_load(x, bs * dim + d + h);
kf_store(out, bs * dim + d, x1 * cs - x2 * sn); kf_store(out, bs * dim + d + h, x1 * sn + x2 * cs);
}
