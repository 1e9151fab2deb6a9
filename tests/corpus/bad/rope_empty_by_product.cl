// entry: k
// global: 16384
// local: 64
// want: verified_incorrect unwritten
// A guard for nothing: 2^32 elements are 0 in 32 bits.

__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	uint h = dim / 2;
	if (batch * seq * dim == 0) return;
	for (size_t i = get_global_id(0); i < (size_t)batch * seq * h; i += get_global_size(0)) {
	uint d = i % h; size_t row = i / h; uint s = row % seq;
	float an = (float)positions[s] * pow(base, -2.0f * (float)d / (float)dim);
	float a = kf_load(x, row * dim + d), b = kf_load(x, row * dim + d + h), sn = sin(an), cs = cos(an);
	kf_store(out, row * dim + d, a * cs - b * sn);
	kf_store(out, row * dim + d + h, a * sn + b * cs); }
}
