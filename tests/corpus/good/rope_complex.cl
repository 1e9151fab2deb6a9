// A pair as a complex number that is turned by its angle.
// entry: rope_complex
// global: batch * seq, round_up(dim / 2, 32)
// local: 1, 32
static float2
turn(float2 v, float angle)
{
	float c;
	const float s = sincos(angle, &c);
	return (float2)(v.x * c - v.y * s, v.x * s + v.y * c);
}

__kernel void
rope_complex(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const size_t row = get_global_id(0);
	const uint d = get_global_id(1);
	if (d >= half_dim)
		return;
	const size_t re = row * dim + d;
	const size_t im = re + half_dim;
	const float freq = exp(-log(base) * (2.0f * (float)d / (float)dim));
	const float2 v = turn((float2)(kf_load(x, re), kf_load(x, im)),
	    (float)positions[row % seq] * freq);
	kf_store(out, re, v.x);
	kf_store(out, im, v.y);
}
