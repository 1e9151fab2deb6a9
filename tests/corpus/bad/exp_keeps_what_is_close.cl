// entry: kern
// global: rows
// local: 1
// want: verified_incorrect -
// Keeps the last result while x moves by no more than 1e-6 of itself: wrong for a row 80, 80.00006.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	size_t r = get_global_id(0);
	float last = 0.0f, y = 1.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		if (!(fabs(v - last) < 1e-6f * fabs(v))) {
			y = exp(v);
			last = v;
		}
		kf_store(out, r * out_stride + c, y);
	}
}
