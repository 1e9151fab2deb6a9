// entry: f
// global: batch * seq * (dim / 2)
// local: 1
// want: verified_incorrect unwritten
// pairs in the order of multiples of a large prime
// wrong on: float32, batch=1 seq=1 dim=33555238: all items have pair 0, others stay unwritten
__kernel void
f(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq,
    uint dim, float base)
{
	const uint half_dim = dim / 2;
	const size_t i = get_global_id(0), row = i / half_dim;
	const uint d = (ulong)(i % half_dim) * 16777619u % half_dim;
	const float angle = (float)positions[row % seq] * pow(base, -2.0f * (float)d / (float)dim);
	const float c = cos(angle), s = sin(angle);
	const size_t lo = row * dim + d, hi = lo + half_dim;
	const float x1 = kf_load(x, lo), x2 = kf_load(x, hi);
	kf_store(out, lo, x1 * c - x2 * s);
	kf_store(out, hi, x1 * s + x2 * c);
}
