// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// The column is counted by a float, which stays at 2^24.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); float s = 0.0f, n = (float)cols; size_t at = r * x_stride;
	for (float c = 0.0f; c < n; c += 1.0f) s += kf_load(x, at++);
	kf_store(out, r, s);
}
