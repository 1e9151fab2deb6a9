// entry: rope
// global: round_up(dim / 2, 16), batch * seq
// local: 16, 1
//
// A two-dimensional range: a pair along the first dimension, a position along
// the second.
__kernel void
rope(const __global KF_T *x, const __global int *positions, __global KF_T *out,
    uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const uint d = get_global_id(0);
	const size_t row = get_global_id(1);

	if (d >= half_dim || row >= (size_t)batch * seq)
		return;

	const size_t first = row * dim + d;
	const size_t second = first + half_dim;
	const float angle = (float)positions[row % seq] *
	    pow(base, -(2.0f * (float)d) / (float)dim);
	const float c = cos(angle);
	const float s = sin(angle);
	const float a = kf_load(x, first);
	const float b = kf_load(x, second);

	kf_store(out, first, a * c - b * s);
	kf_store(out, second, b * c + a * s);
}
