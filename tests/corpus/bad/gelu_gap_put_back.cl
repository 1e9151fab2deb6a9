// entry: kern
// global: rows * cols
// local: 1
// want: verified_incorrect -
// Writes the gap behind a row and puts it back.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t i = get_global_id(0), r = i / cols, c = i % cols;
	float v = kf_load(x, r * x_stride + c);
	
	float y = (v * 0.5f * (1.0f + erf(v * 0.70710678f)));
	if (c == 0 && out_stride > cols) { float keep = kf_load(out, r * out_stride + cols); kf_store(out, r * out_stride + cols, keep); }
	kf_store(out, r * out_stride + c, y);
}
