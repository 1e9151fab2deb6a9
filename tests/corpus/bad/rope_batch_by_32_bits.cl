// entry: k
// global: dim / 2, seq, batch
// local: 1, 1, 1
// want: verified_incorrect -
// A batch's size in 32 bits.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	uint h = dim / 2;
	size_t i = get_global_id(0); uint d = i % h; uint s = get_global_id(1), bb = get_global_id(2); 
	float p = positions[s];
	float an = p * pow(base, -2.0f * (float)d / (float)dim);
	float a = kf_load(x, (size_t)bb * (seq * dim) + (size_t)s * dim + d), b = kf_load(x, (size_t)bb * (seq * dim) + (size_t)s * dim + d + h), sn = sin(an), cs = cos(an);
	kf_store(out, (size_t)bb * (seq * dim) + (size_t)s * dim + d, a * cs - b * sn);
	kf_store(out, (size_t)bb * (seq * dim) + (size_t)s * dim + d + h, a * sn + b * cs);
}
