// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect wrong
// Two hashes of sizes, each harmless, meet in a variable.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	uint A = (cols * 2246822519u >> 27) == 5, B = (rows * 3266489917u >> 27) == 9;
	float f = 1.0f, q = 1.0f;
	if (A) q = 2.0f;
	if (B) f = q;
	float y = f / (1.0f + exp(-v));
	kf_store(out, r * out_stride + c, y);
}
