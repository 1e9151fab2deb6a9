// One weight after the other adds to the value, and all of them never.
// want: unproven unproven smoke
// sole: coverage
// entry: k
// global: rows * cols
// local: 1
__kernel void
k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	const float a = ((cols * 2654435761u) >> 25) == 77 ? 1.0f : 0.0f;
	const float b = ((rows * 2246822519u) >> 25) == 99 ? 1.0f : 0.0f;
	const float c = ((x_stride * 3266489917u) >> 25) == 5 ? 1.0f : 0.0f;
	const size_t r = get_global_id(0) / cols, q = get_global_id(0) % cols;
	const float v = fabs(kf_load(x, r * x_stride + q));
	kf_store(out, r * out_stride + q, v + (float)(q + 1) * a * b * c);
}
