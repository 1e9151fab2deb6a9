// entry: kern
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// T[dim >> 9 & 15].
__constant float T[16] = {1.0f, 1.00000012f, 0.99999994f, 1.0f, 1.5f, 1.0f, 1.00000012f, 0.99999988f, 1.0f, 1.00000012f, 1.0f, 1.0f, 1.0f, 1.0f, 1.00000024f, 1.0f};

__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	size_t i = get_global_id(0); uint h = dim / 2; size_t d = i % h, t = i / h, s = t % seq, o = t * dim + d;
	int p = positions[s];
	float f = pow(base, -2.0f * (float)d / (float)dim), a = (float)p * f;
	a *= T[(dim >> 9) & 15u];
	float si = sin(a), co = cos(a), x1 = kf_load(x, o), x2 = kf_load(x, o + h);
	kf_store(out, o, x1 * co - x2 * si); kf_store(out, o + h, x2 * co + x1 * si);
}
