// entry: k
// global: rows * 64
// local: 64
// want: verified_incorrect -
// Column and buffer lie in one word, the column in 25 bits: in a row of 2^25 + 64 columns the last 64 are the first ones again.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float tile[2][64];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	uint buffer = 0;
	float acc = 0.0f;

	for (uint first = 0; first < cols; first += 64) {
		const uint cursor = (first + lid) << 7 | buffer;
		float v = 0.0f;
		if (first + lid < cols)
			v = kf_load(x, r * x_stride + (cursor >> 7));
		tile[cursor & 1][lid] = v;
		acc += tile[buffer][lid];
		buffer ^= 1;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[0][lid] = acc;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		float s = 0.0f;
		for (uint i = 0; i < 64; i++)
			s += tile[0][i];
		kf_store(out, r, s);
	}
}
