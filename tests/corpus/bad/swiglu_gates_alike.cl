// entry: kern
// global: ceil_div(cols, 4), rows
// local: 1, 1
// want: verified_incorrect -
// Four gates within 1e-6 of their first share its sigmoid: wrong for gates -80, -80.00007.
__kernel void kern(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	const uint c0 = get_global_id(0) * 4;
	const size_t r = get_global_id(1);
	const float first = kf_load(gate, r * gate_stride + c0);
	const float sig = 1.0f / (1.0f + exp(-first));
	int alike = 1;
	for (uint c = c0 + 1; c < c0 + 4 && c < cols; c++)
		alike &= fabs(kf_load(gate, r * gate_stride + c) - first) < 1e-6f * fabs(first);
	for (uint c = c0; c < c0 + 4 && c < cols; c++) {
		const float g = kf_load(gate, r * gate_stride + c);
		const float s = alike ? sig : 1.0f / (1.0f + exp(-g));
		kf_store(out, r * out_stride + c, g * s * kf_load(up, r * up_stride + c));
	}
}
