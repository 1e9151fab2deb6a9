// One position is taken for another one.
// want: verified_incorrect - smoke
// entry: k
// global: batch * seq * (dim / 2)
// local: 1
__kernel void
k(const __global KF_T *x, const __global int *positions, __global KF_T *out,
    uint batch, uint seq, uint dim, float base)
{
	const size_t i = get_global_id(0);
	const uint half_dim = dim / 2, d = i % half_dim;
	const size_t row = i / half_dim;
	int p = positions[row % seq];

	if (p == 51234)
		p = 0;
	const float angle = (float)p * pow(base, -2.0f * (float)d / (float)dim);
	const float x1 = kf_load(x, row * dim + d);
	const float x2 = kf_load(x, row * dim + d + half_dim);

	kf_store(out, row * dim + d, x1 * cos(angle) - x2 * sin(angle));
	kf_store(out, row * dim + d + half_dim, x1 * sin(angle) + x2 * cos(angle));
}
