// A work group a row, the row in registers pair by pair.
// entry: rope_row
// global: batch * seq * 32
// local: 32
__kernel void
rope_row(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t row = get_group_id(0);
	const float p = (float)positions[row % seq];
	const size_t start = row * dim;
	for (uint d = get_local_id(0); d < dim / 2; d += get_local_size(0)) {
		const float a = p * pow(base, -(2.0f * d) / dim);
		const float x0 = kf_load(x, start + d);
		const float x1 = kf_load(x, start + (dim / 2) + d);
		kf_store(out, start + d, x0 * cos(a) - x1 * sin(a));
		kf_store(out, start + (dim / 2) + d, x0 * sin(a) + x1 * cos(a));
	}
}
