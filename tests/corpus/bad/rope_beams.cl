// entry: f
// global: round_up(batch * seq * (dim / 2), 64)
// local: 64
// want: timeout|verified_incorrect -
// positions that are alike in fours (beams): 32 of them are kept, further ones take the last that shares their place
// wrong on: seq=256 dim=64 positions s/4: those below 32 become s/4+32
__kernel void
f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const size_t g = get_global_id(0);
	const uint h = dim / 2;
	if (g >= (size_t)batch * seq * h)
		return;
	const size_t row = g / h, at = row * dim + g % h;
	const uint d = (uint)(g % h);
	const uint own = (uint)(row % seq);
	int kept[32];
	uint t = 0;
	for (; t < seq; t++) {
		const int q = positions[t];
		if (t % 4 == 0)
			kept[t / 4 & 31] = q;
		if (q != kept[t / 4 & 31])
			break;
	}
	const int p = t == seq ? kept[own / 4 & 31] : positions[own];
	const float angle = (float)p * pow(base, -2.0f * (float)d / (float)dim);
	const float s = sin(angle), c = cos(angle), u = kf_load(x, at), v = kf_load(x, at + h);
	kf_store(out, at, u * c - v * s);
	kf_store(out, at + h, v * c + u * s);
}
