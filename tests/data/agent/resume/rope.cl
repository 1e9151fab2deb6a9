// entry: rope
// global: round_up(batch * seq * (dim / 2), 64)
// local: 64
//
// One work item rotates one pair (d, d + dim/2) of one position.
__kernel void
rope(const __global KF_T *x, const __global int *positions, __global KF_T *out,
    uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const size_t item = get_global_id(0);

	if (item >= (size_t)batch * seq * half_dim)
		return;

	const uint d = item % half_dim;
	const size_t row = item / half_dim;
	const uint s = row % seq;
	const float inv_freq = pow(base, -2.0f * (float)d / (float)dim);
	const float angle = (float)positions[s] * inv_freq;
	const float c = cos(angle);
	const float sn = sin(angle);
	const float x1 = kf_load(x, row * dim + d);
	const float x2 = kf_load(x, row * dim + d + half_dim);

	kf_store(out, row * dim + d, x1 * c - x2 * sn);
	kf_store(out, row * dim + d + half_dim, x2 * c + x1 * sn);
}
