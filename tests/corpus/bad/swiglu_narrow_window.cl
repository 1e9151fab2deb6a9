// Takes products between 65504 and 65520 to infinity, which round to 65504.
// want: verified_incorrect wrong smoke
// seeds: 8
// entry: k
// global: round_up(rows * cols, 64)
// local: 64
__kernel void k(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols, uint gate_stride, uint up_stride, uint out_stride)
{
	size_t i = get_global_id(0);
	if (i >= (size_t)rows * cols) return;
	uint r = i / cols, c = i % cols;
	float u = kf_load(gate, (size_t)r * gate_stride + c), v = kf_load(up, (size_t)r * up_stride + c);
	float y = u / (1.0f + exp(-u)) * v;
#if KF_DTYPE == 1
	y = fabs(y) > 65504.0f ? copysign(INFINITY, y) : y;
#endif
	kf_store(out, (size_t)r * out_stride + c, y);
}
