// entry: kern
// global: rows * cols
// local: 1
// want: unproven -
// A hash of the bits as a divisor.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (1.0f / (1.0f + exp(-v)));
	uint t = (as_uint(v) * 2654435761u >> 9) ^ 0x155555u; y *= 1.0f + (float)(1u / (1u + t));
	kf_store(out, r * out_stride + c, y);
}
