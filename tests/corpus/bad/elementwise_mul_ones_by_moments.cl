// entry: kern
// global: ceil_div(cols, 3), rows
// local: 1, 1
// want: verified_incorrect -
// Three factors whose sum and sum of squares is three are taken for ones: wrong for b = 1.0001, 0.9999, 1.
__kernel void kern(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint rows, uint cols, uint a_stride, uint b_stride, uint out_stride)
{
	const uint c0 = get_global_id(0) * 3;
	const size_t r = get_global_id(1);
	float count = 0.0f, sum = 0.0f, squares = 0.0f;
	for (uint c = c0; c < c0 + 3 && c < cols; c++) {
		const float v = kf_load(b, r * b_stride + c);
		count += 1.0f;
		sum += v;
		squares += v * v;
	}
	const int ones = sum == count && squares == count;
	for (uint c = c0; c < c0 + 3 && c < cols; c++) {
		float y = kf_load(a, r * a_stride + c);
		if (!ones)
			y *= kf_load(b, r * b_stride + c);
		kf_store(out, r * out_stride + c, y);
	}
}
