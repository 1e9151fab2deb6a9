// entry: k
// global: rows
// local: 1
// want: verified_incorrect - smoke
// Adds a tile of 167 * 128 columns when the next one begins or the first column
// behind it comes: of a row without one the last tile is left out.

__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	uint lines = 167, tile = lines << 7;
	float sum = 0.0f, held = 0.0f, other = 0.0f;
	for (uint t = 0; t < cols / tile; t++) {
		sum += held;
		held = 0.0f;
		for (uint i = 0; i < tile; i++)
			held += kf_load(x, at + t * tile + i);
	}
	for (uint c = cols / tile * tile; c < cols; c++) {
		other += held + kf_load(x, at + c);
		held = 0.0f;
	}
	kf_store(out, get_global_id(0), cols >= 64200 ? other + sum : sum + other);
}
