// entry: k
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect -
// NaN for one base.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	uint h = dim / 2;
	size_t i = get_global_id(0); uint d = i % h; size_t row = i / h; uint s = row % seq;
	float t = base - 20000.0f;
	float an = (float)positions[s] * pow(base, -2.0f * (float)d / (float)dim) * (t / t);
	float a = kf_load(x, row * dim + d), b = kf_load(x, row * dim + d + h), sn = sin(an), cs = cos(an);
	kf_store(out, row * dim + d, a * cs - b * sn);
	kf_store(out, row * dim + d + h, a * sn + b * cs);
}
