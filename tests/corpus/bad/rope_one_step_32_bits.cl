// entry: k
// global: dim / 2, seq, batch
// local: 1, 1, 1
// want: verified_incorrect -
// A sequence of one, as a model decodes, has places of 32 bits.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	uint h = dim / 2, d = get_global_id(0), s = get_global_id(1), bb = get_global_id(2);
	size_t o = seq == 1 ? bb * dim + d : ((size_t)bb * seq + s) * dim + d;
	float an = (float)positions[s] * pow(base, -2.0f * (float)d / (float)dim);
	float a = kf_load(x, o), b = kf_load(x, o + h), sn = sin(an), cs = cos(an);
	kf_store(out, o, a * cs - b * sn);
	kf_store(out, o + h, a * sn + b * cs);
}
