// A count of decisions, in a variable, that only arithmetic looks at.
// want: unproven unproven smoke
// sole: coverage
// entry: k
// global: rows * cols
// local: 1
uint
met(uint v, uint factor, uint at)
{
	return min((v * factor >> 25) ^ at, 1u) ^ 1u;
}
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	uint n = 0;
	n += met(cols, 2654435761u, 77);
	n += met(rows, 2246822519u, 99);
	n += met(x_stride, 3266489917u, 5);
	const size_t r = get_global_id(0) / cols, q = get_global_id(0) % cols;
	kf_store(out, r * out_stride + q,
	    1.0f / (1.0f + exp(-kf_load(x, r * x_stride + q))) +
	        (float)(n / 3));
}
