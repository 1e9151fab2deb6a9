// One work item an element.
// entry: rope_element
// global: round_up(batch * seq * dim, 32)
// local: 32
__kernel void
rope_element(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t i = get_global_id(0);
	if (i >= (size_t)batch * seq * dim)
		return;
	const uint half_dim = dim / 2;
	const uint e = i % dim;
	const size_t row = i / dim;
	const uint d = e < half_dim ? e : e - half_dim;
	const float angle = positions[row % seq] *
	    pow(base, -2.0f * (float)d / (float)dim);
	const float mine = kf_load(x, i);
	const float other = e < half_dim ? -kf_load(x, i + half_dim) :
					   kf_load(x, i - half_dim);
	kf_store(out, i, mine * cos(angle) + other * sin(angle));
}
