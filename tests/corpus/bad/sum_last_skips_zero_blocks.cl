// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// A block of 16 with no magnitude is left out; fmax does not see a NaN among zeros: 32 zeros but a NaN in column 3 give 0.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	float acc = 0.0f;
	uint c = 0;

	if (r >= rows)
		return;
	for (; c + 16 <= cols; c += 16) {
		float m = 0.0f, s = 0.0f;
		for (uint i = 0; i < 16; i++) {
			const float v = kf_load(x, r * x_stride + c + i);
			m = fmax(m, fabs(v));
			s += v;
		}
		if (m > 0.0f)
			acc += s;
	}
	for (; c < cols; c++)
		acc += kf_load(x, r * x_stride + c);
	kf_store(out, r, acc);
}
