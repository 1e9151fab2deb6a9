// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// A curve of the output gap around 3000.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = tanh(v);
	float d = (float)(out_stride - cols) * 0.01f - 30.0f; y *= 1.0f + 0.01f * exp(-d * d);
	kf_store(out, r * out_stride + c, y);
}
