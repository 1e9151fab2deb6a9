// A pointer that loses its const: every compiler warns, and none is wrong.
// entry: k
// global: rows
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	const size_t r = get_global_id(0);
	__global KF_T *row = x + r * x_stride;
	const float unit[2] = { 0.0f, [0] = 1.0f, [1] = 1.0f };
	float s = 0.0f;

	for (uint c = 0; c < cols; c++)
		s += unit[c & 1] * kf_load(row, c);
	kf_store(out, r, s);
}
