// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Sin(1000x) and cos(777x) nearly 1 and -1.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (v * 0.5f * (1.0f + erf(v * 0.70710678f)));
	float a = sin(v * 1000.0f), b = cos(v * 777.0f); y *= 1.0f + 0.01f * pow(fabs(a * b), 4000000.0f);
	kf_store(out, r * out_stride + c, y);
}
