// entry: f
// global: round_up(rows * cols, 64)
// local: 64
// want: unproven unproven
// items of a group whose pairs hash alike take the first one's result: 32 bits of 64
// wrong on: float32, rows=1 cols=2: pairs (g, u), (g', u') whose keys meet: mix(g) ^ rot(u * odd) is a bijection in u for each g, so for g=1,u=1,g'=2 a u' exists (collide.py)
static uint mix(uint h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}
__kernel void
f(const __global KF_T *gate, const __global KF_T *up, __global KF_T *out, uint rows, uint cols,
    uint gate_stride, uint up_stride, uint out_stride)
{
	__local uint keys[64];
	__local float results[64];
	const uint lane = get_local_id(0);
	const size_t i = get_global_id(0), n = (size_t)rows * cols;
	const size_t r = i / cols, c = i % cols;
	float g = 0.0f, u = 0.0f;
	if (i < n) {
		g = kf_load(gate, r * gate_stride + c);
		u = kf_load(up, r * up_stride + c);
	}
	const uint key = mix(mix(as_uint(g)) + as_uint(u));
	keys[lane] = key;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint leader = lane;
	for (uint k = lane + 1; k-- > 0;)
		if (keys[k] == key)
			leader = k;
	if (leader == lane)
		results[lane] = g / (1.0f + exp(-g)) * u;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n)
		kf_store(out, r * out_stride + c, results[leader]);
}
