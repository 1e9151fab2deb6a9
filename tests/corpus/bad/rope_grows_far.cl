// entry: rope
// global: round_up(batch * seq * (dim / 2), 64)
// local: 64
//
// Far turned pairs grow by three in a million: within what the error of so
// large an angle may do to either value, but no rotation does it to both.
// want: verified_incorrect metamorphic smoke
// sole: relations

__kernel void rope(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t half_dim = dim / 2;
	const size_t i = get_global_id(0);

	if (i >= (size_t)batch * seq * half_dim)
		return;
	const size_t d = i % half_dim;
	const size_t row = i / half_dim;
	const size_t lo = row * dim + d;
	const size_t hi = lo + half_dim;
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	const float angle = (float)positions[row % seq] * freq;
	const float k = fabs(angle) > 55.0f ? 1.000003f : 1.0f;
	const float x1 = kf_load(x, lo);
	const float x2 = kf_load(x, hi);
	const float c = cos(angle) * k;
	const float s = sin(angle) * k;

	kf_store(out, lo, x1 * c - x2 * s);
	kf_store(out, hi, x1 * s + x2 * c);
}
