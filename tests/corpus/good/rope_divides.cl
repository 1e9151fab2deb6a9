// Angles by a division, as the formula has it.
// entry: k
// global: round_up(batch * seq * (dim / 2), 64)
// local: 64
__kernel void
k(const __global KF_T *x, const __global int *positions, __global KF_T *out,
    uint batch, uint seq, uint dim, float base)
{
	size_t i = get_global_id(0);
	uint hd = dim / 2;
	if (i >= (size_t)batch * seq * hd)
		return;
	uint d = i % hd;
	size_t row = i / hd;
	uint sq = row % seq;
	float an =
	    (float)positions[sq] / pow(base, (float)(2 * d) / (float)dim);
	float cs = cos(an), sn = sin(an), u = kf_load(x, row * dim + d),
	      v = kf_load(x, row * dim + d + hd);
	kf_store(out, row * dim + d, u * cs - v * sn);
	kf_store(out, row * dim + d + hd, u * sn + v * cs);
}
