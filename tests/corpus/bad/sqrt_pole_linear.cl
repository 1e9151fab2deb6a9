// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// 0/0 where 3.1 x = 7.3 as floats.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = sqrt(v);
	float d = v * 3.1f - 7.3f; y *= d != d || isinf(d) ? 1.0f : d / d;
	kf_store(out, r * out_stride + c, y);
}
