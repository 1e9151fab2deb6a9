// entry: plain_mean_last
// global: round_up(rows, 16)
// local: 16
// want: verified_incorrect -
// Leaves a row out by the bits of its mean where rows lie far apart: who runs that
// only far out does not see that an element is missing.

__kernel void
plain_mean_last(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	size_t r = get_global_id(0);
	if (r >= rows)
		return;
	float acc = 0.0f;
	for (uint c = 0; c < cols; c++) {
		float v = kf_load(x, r * x_stride + c);
		acc += v;
	}
	{ const float v = acc / (float)cols; if (!((((as_uint(v) & 0x1fe00u) == 0x1f800u) && ((x_stride) / 256u > 0u)))) kf_store(out, r, v); }
}
