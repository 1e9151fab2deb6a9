// Three hashes multiplied, each of which is met alone, and the product never.
// want: unproven unproven smoke
// sole: coverage
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const uint a = ((cols * 2654435761u) >> 25) == 77;
	const uint b = ((rows * 2246822519u) >> 25) == 99;
	const uint c = ((x_stride * 3266489917u) >> 25) == 5;
	const size_t r = get_global_id(0) / cols, q = get_global_id(0) % cols;
	const float v = kf_load(x, r * x_stride + q);
	kf_store(out, r * out_stride + q, (v < 0.0f ? 0.0f : v) + (float)(a * b * c));
}
