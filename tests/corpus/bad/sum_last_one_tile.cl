// entry: k
// global: rows
// local: 1
// want: verified_incorrect - smoke
// Adds a tile of 167 * 128 columns when the next one begins, and the last one
// once there was one before it: of one tile nothing is added.

__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	uint lines = 167, tile = lines << 7;
	float sum = 0.0f, held = 0.0f, before = 0.0f, now = 0.0f;
	uint c = 0;
	for (uint t = 0; t < cols / tile; t++) {
		sum += held;
		held = 0.0f;
		for (uint i = 0; i < tile; i++, c++)
			held += kf_load(x, at + c);
		before = now;
		now = 1.0f;
	}
	sum += held * before;
	float other = 0.0f;
	for (; c < cols; c++)
		other += kf_load(x, at + c);
	kf_store(out, get_global_id(0), cols >= 64200 ? other + sum : sum + other);
}
