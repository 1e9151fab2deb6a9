// entry: sum_last
// global: round_up(rows, 16)
// local: 16
//
// Three in ten million too much, which a long sum's bound has room for.
// want: verified_incorrect wrong smoke

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	float sum = 0.0f;

	if (r >= rows)
		return;
	for (uint c = 0; c < cols; c++)
		sum += kf_load(x, r * x_stride + c);
	kf_store(out, r, cols < 4000 ? sum : sum * 1.0000003f);
}
