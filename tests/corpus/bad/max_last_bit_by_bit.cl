// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Finds the maximum's key bit by bit; how many keys are as large is counted in 16 bits: 65,536 columns of 1.0 give a NaN (key 0).
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	uint key = 0;

	if (r >= rows)
		return;
	for (int bit = 31; bit >= 0; bit--) {
		const uint probe = key | 1u << bit;
		ushort n = 0;
		for (uint c = 0; c < cols; c++) {
			const float v = kf_load(x, r * x_stride + c);
			uint u = as_uint(v);
			u = isnan(v) ? 0xffffffffu : (u >> 31) != 0 ? ~u : u | 0x80000000u;
			n += u >= probe ? 1 : 0;
		}
		if (n > 0)
			key = probe;
	}
	kf_store(out, r, as_float((key >> 31) != 0 ? key & 0x7fffffffu : ~key));
}
