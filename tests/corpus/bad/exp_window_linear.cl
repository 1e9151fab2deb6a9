// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// D = 0.37x - 6.4 is near 0 for x about 17.297 alone.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = exp(v);
	float d = v * 0.37f - 6.4f; y *= 1.0f + 0.01f * exp(-d * d * 1e8f);
	kf_store(out, r * out_stride + c, y);
}
