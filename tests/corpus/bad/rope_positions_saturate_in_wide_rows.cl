// entry: rope_four
// global: ceil_div(dim / 2, 4), batch * seq
// local: 1, 1
// want: verified_incorrect -
// Positions end at 32,767 in late pairs of rows of some widths.

__kernel void
rope_four(const __global KF_T *x, const __global int *positions,
    __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint half_dim = dim / 2;
	const uint first = 4 * (uint)get_global_id(0);
	const size_t row = get_global_id(1);
	const size_t at = row * dim;
	float a[4], b[4], lo[4], hi[4];
	for (uint q = 0; q < 4; q++) {
		const uint d = min(first + q, half_dim - 1);
		a[q] = kf_load(x, at + d);
		b[q] = kf_load(x, at + d + half_dim);
		lo[q] = 2.0f * (float)d / (float)dim;
	}
	const float4 angle = (float)(((((seq == 7u) && ((uint)get_global_id(0) > 226u)) && ((dim) % 128u == 118u))) ? min(positions[row % seq], 32767) : positions[row % seq]) *
	    pow((float4)(base), -vload4(0, lo));
	const float4 c = cos(angle), z = sin(angle);
	const float4 x1 = vload4(0, a), x2 = vload4(0, b);
	vstore4(x1 * c - x2 * z, 0, lo);
	vstore4(x1 * z + x2 * c, 0, hi);
	for (uint q = 0; q < 4; q++) {
		const uint d = first + q;
		if (d >= half_dim)
			break;
		kf_store(out, at + d, lo[q]);
		kf_store(out, at + d + half_dim, hi[q]);
	}
}
