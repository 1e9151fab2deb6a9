// entry: k
// global: round_up(rows, 8)
// local: 8
// want: verified_incorrect -
// Whole blocks of 64 are counted in 16 bits, and the count divides: of 2^22 + 64 ones the mean is 65,537.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t r = get_global_id(0);
	float acc = 0.0f;
	ushort blocks = 0;
	uint c = 0, tail = 0;

	if (r >= rows)
		return;
	for (; c + 64 <= cols; c += 64) {
		float s = 0.0f;
		for (uint i = 0; i < 64; i++)
			s += kf_load(x, r * x_stride + c + i);
		acc += s;
		blocks++;
	}
	for (; c < cols; c++) {
		acc += kf_load(x, r * x_stride + c);
		tail++;
	}
	kf_store(out, r, acc / (float)(blocks * 64 + (int)tail));
}
