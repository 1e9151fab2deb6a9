// entry: f
// global: round_up(batch * seq * (dim / 2), 64)
// local: 64
// want: verified_incorrect|unproven -
// items of a group that have the same position and pair share sine and cosine; the same is told by 32 mixed bits of 64
// wrong on: float32: batch=1 seq=4 dim=64 base=10000: positions p, q with key(p, d) == key(q, e) for two items of one group (collide.py finds some)
static uint mix(uint h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}
__kernel void
f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq,
    uint dim, float base)
{
	__local uint keys[64];
	__local float sines[64], cosines[64];
	const uint half_dim = dim / 2, lane = get_local_id(0);
	const size_t i = get_global_id(0), n = (size_t)batch * seq * half_dim;
	const size_t row = i / half_dim;
	const uint d = i % half_dim;
	const int p = i < n ? positions[row % seq] : 0;
	const uint key = mix(mix((uint)p) + d);
	keys[lane] = key;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint leader = lane;
	for (uint k = lane + 1; k-- > 0;)
		if (keys[k] == key)
			leader = k;
	if (leader == lane) {
		const float angle = (float)p * pow(base, -2.0f * (float)d / (float)dim);
		sines[lane] = sin(angle);
		cosines[lane] = cos(angle);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n) {
		const size_t lo = row * dim + d;
		const float c = cosines[leader], s = sines[leader];
		const float x1 = kf_load(x, lo), x2 = kf_load(x, lo + half_dim);
		kf_store(out, lo, x1 * c - x2 * s);
		kf_store(out, lo + half_dim, x1 * s + x2 * c);
	}
}
