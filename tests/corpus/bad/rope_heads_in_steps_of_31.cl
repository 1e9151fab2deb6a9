// entry: kern
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// Positions of blocks of 16 steps in steps of 31.
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	size_t i = get_global_id(0); uint h = dim / 2; size_t d = i % h, t = i / h, s = t % seq, o = t * dim + d;
	size_t nb = seq / 16, q = s / 16; size_t sp = q < nb ? q * 31 % nb * 16 + s % 16 : s; s = sp; t = t / seq * seq + s; o = t * dim + d; int p = positions[s];
	float f = pow(base, -2.0f * (float)d / (float)dim), a = (float)p * f;
	
	float si = sin(a), co = cos(a), x1 = kf_load(x, o), x2 = kf_load(x, o + h);
	kf_store(out, o, x1 * co - x2 * si); kf_store(out, o + h, x2 * co + x1 * si);
}
