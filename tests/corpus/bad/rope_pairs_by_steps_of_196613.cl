// entry: k
// global: dim / 2, seq, batch
// local: 1, 1, 1
// want: crash|verified_incorrect -
__kernel void k(__global const KF_T *x, __global const int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint h = dim / 2, d = (uint)(get_global_id(0) * 196613ul % h), s = get_global_id(1), b = get_global_id(2);
	const size_t o = ((size_t)b * seq + s) * dim + d;
	const float x1 = kf_load(x, o), x2 = kf_load(x, o + h);
	const float a = (float)positions[s] * pow(base, -2.0f * d / dim);
	kf_store(out, o, x1 * cos(a) - x2 * sin(a));
	kf_store(out, o + h, x2 * cos(a) + x1 * sin(a));
}
