// Takes 21 bits of a row's number.
// want: verified_incorrect - smoke
// entry: k
// global: round_up(rows, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	uint r = get_global_id(0) ; if (r >= rows) return;
	float acc = 0.0f;
	size_t o = (size_t)(r & 0x1fffffu) * x_stride;
	for (uint c = 0; c < cols; c++) acc += kf_load(x, o + c);
	kf_store(out, r, acc);
}
