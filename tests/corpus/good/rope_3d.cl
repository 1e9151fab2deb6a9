// Pairs by positions by batches.
// entry: rope_3d
// global: round_up(dim / 2, 16), seq, batch
// local: 16, 1, 1
__kernel void
rope_3d(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint d = get_global_id(0);
	const uint s = get_global_id(1);
	const uint b = get_global_id(2);
	if (d >= dim / 2)
		return;
	const __global KF_T *xr = x + ((size_t)b * seq + s) * dim;
	__global KF_T *yr = out + ((size_t)b * seq + s) * dim;
	const float inv = exp2(-log2(base) * (2.0f * d / dim));
	const float angle = positions[s] * inv;
	float co;
	const float si = sincos(angle, &co);
	const float a = kf_load(xr, d), e = kf_load(xr, d + dim / 2);
	kf_store(yr, d, a * co - e * si);
	kf_store(yr, d + dim / 2, e * co + a * si);
}
