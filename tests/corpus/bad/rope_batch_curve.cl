// entry: kern
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// A curve of batch around 500.
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	size_t i = get_global_id(0); uint h = dim / 2; size_t d = i % h, t = i / h, s = t % seq, o = t * dim + d;
	int p = positions[s];
	float f = pow(base, -2.0f * (float)d / (float)dim), a = (float)p * f;
	float e = (float)batch * 0.1f - 50.0f; a += 0.05f * exp(-e * e);
	float si = sin(a), co = cos(a), x1 = kf_load(x, o), x2 = kf_load(x, o + h);
	kf_store(out, o, x1 * co - x2 * si); kf_store(out, o + h, x2 * co + x1 * si);
}
