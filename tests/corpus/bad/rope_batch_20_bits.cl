// Takes 20 bits of the batch's number.
// want: verified_incorrect - smoke
// entry: k
// global: dim / 2, seq, batch
// local: 1, 1, 1
__kernel void k(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	size_t d = get_global_id(0), s = get_global_id(1), b = get_global_id(2) & 0xfffff;
	size_t at = (b * seq + s) * dim + d;
	float angle = (float)positions[s] * pow(base, -2.0f * (float)d / (float)dim);
	float p = kf_load(x, at), q = kf_load(x, at + dim / 2);
	kf_store(out, at, p * cos(angle) - q * sin(angle));
	kf_store(out, at + dim / 2, p * sin(angle) + q * cos(angle));
}
