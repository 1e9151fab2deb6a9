// entry: f
// global: round_up(rows, 8)
// local: 8
// want: unproven unproven
// groups of 8 rows: rows that hash alike are read once, from the first of them
// wrong on: float32, rows=2 cols=2: x0 = 1 2, x1 = 1.5 w with w such that both hash alike (each step is a bijection of the word): out row 1 = 1 2
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint keys[8];
	const uint lane = get_local_id(0);
	const size_t row = get_global_id(0);
	uint h = 7u;
	if (row < rows)
		for (uint c = 0; c < cols; c++) {
			h = (rotate(h, 5u) ^ as_uint(kf_load(x, row * x_stride + c))) * 0x9e3779b1u;
			h ^= h >> 16;
		}
	keys[lane] = row < rows ? h : ~h;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint leader = lane;
	for (uint k = lane + 1; k-- > 0;)
		if (keys[k] == h)
			leader = k;
	if (row < rows)
		for (uint c = 0; c < cols; c++)
			kf_store(out, row * out_stride + c, fabs(kf_load(x, (row - lane + leader) * x_stride + c)));
}
