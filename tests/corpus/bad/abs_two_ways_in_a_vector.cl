// entry: k
// global: rows * cols
// local: 1
// want: verified_incorrect wrong
// Two hashes of sizes meet in a vector's component.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	uint A = (cols * 2246822519u >> 27) == 5, B = (rows * 3266489917u >> 27) == 9;
	float2 t = (float2)(1.0f);
	if (A) t.y = 2.0f;
	float y = fabs(v) * ((float *)&t)[B];
	kf_store(out, r * out_stride + c, y);
}
