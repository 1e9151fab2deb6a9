// entry: f
// global: round_up(rows, 32)
// local: 32
// want: unproven unproven
// items of a group take maximum and denominator from the first item whose row hashes alike
// wrong on: float32, rows=2 cols=3: x0 = {1, 2, 3}, x1 = {1.5, 2, w} with w such that both hash alike (each step is a bijection of the word): row 1 gets row 0's denominator
static uint mix(uint h, uint k)
{
	h ^= k * 0xcc9e2d51u;
	h ^= h >> 15;
	h *= 0x85ebca6bu;
	return h ^ h >> 13;
}
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	__local uint keys[32];
	__local float tops[32], sums[32];
	const uint lane = get_local_id(0);
	const size_t row = get_global_id(0);
	uint h = 0x2545f491u;
	if (row < rows)
		for (uint c = 0; c < cols; c++)
			h = mix(h, as_uint(kf_load(x, row * x_stride + c)));
	keys[lane] = h;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint leader = lane;
	for (uint k = lane + 1; k-- > 0;)
		if (keys[k] == h)
			leader = k;
	if (leader == lane && row < rows) {
		float m = -INFINITY, s = 0.0f;
		for (uint c = 0; c < cols; c++)
			m = fmax(m, kf_load(x, row * x_stride + c));
		for (uint c = 0; c < cols; c++)
			s += exp(kf_load(x, row * x_stride + c) - m);
		tops[lane] = m;
		sums[lane] = s;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (row < rows)
		for (uint c = 0; c < cols; c++)
			kf_store(out, row * out_stride + c,
			    exp(kf_load(x, row * x_stride + c) - tops[leader]) / sums[leader]);
}
