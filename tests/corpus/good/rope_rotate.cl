// x cos + rotate_half(x) sin, one work item an element of a row.
// entry: rope_rotate
// global: round_up(dim, 32), batch * seq
// local: 32, 1
__kernel void
rope_rotate(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const uint e = get_global_id(0);
	const size_t row = get_global_id(1);
	if (e >= dim)
		return;
	const size_t i = row * dim + e;
	const uint d = e < half_dim ? e : e - half_dim;
	const float freq = pow(base, -2.0f * (float)d / (float)dim);
	const float angle = (float)positions[row % seq] * freq;
	const float turned = e < half_dim ? -kf_load(x, i + half_dim)
					  : kf_load(x, i - half_dim);
	kf_store(out, i, kf_load(x, i) * cos(angle) + turned * sin(angle));
}
