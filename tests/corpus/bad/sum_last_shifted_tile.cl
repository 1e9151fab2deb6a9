// entry: sum_last
// global: rows * 64
// local: 64
//
// A tile of 1 << 9 columns is filled again before all lanes have read it: a race
// on rows that are longer than a tile, and nowhere else.
// want: verified_incorrect race smoke

#define TILE (1 << 9)

__kernel void sum_last(const __global KF_T *x, __global KF_T *out, uint rows,
    uint cols, uint x_stride)
{
	__local float tile[TILE];
	const uint lid = get_local_id(0);
	const size_t r = get_group_id(0);
	float sum = 0.0f;

	for (uint t = 0; t < cols; t += TILE) {
		const uint n = min(cols - t, (uint)TILE);

		for (uint c = lid; c < n; c += 64)
			tile[c] = kf_load(x, r * x_stride + t + c);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint c = 0; c < n; c++)
			sum += tile[c];
	}
	if (lid == 0)
		kf_store(out, r, sum);
}
