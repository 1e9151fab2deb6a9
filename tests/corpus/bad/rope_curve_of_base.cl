// entry: kern
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// A curve of base around 31000.
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	size_t i = get_global_id(0); uint h = dim / 2; size_t d = i % h, t = i / h, s = t % seq, o = t * dim + d;
	int p = positions[s];
	float f = pow(base, -2.0f * (float)d / (float)dim), a = (float)p * f;
	float e = base * 1e-4f - 3.1f; a *= 1.0f + 0.01f * exp(-e * e * 1e3f);
	float si = sin(a), co = cos(a), x1 = kf_load(x, o), x2 = kf_load(x, o + h);
	kf_store(out, o, x1 * co - x2 * si); kf_store(out, o + h, x2 * co + x1 * si);
}
