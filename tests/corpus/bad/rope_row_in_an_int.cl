// entry: kern
// global: dim / 2, seq, batch
// local: 1, 1, 1
// want: verified_incorrect -
// The row is an int: wrong for batch = seq = 50000, dim = 2 (row 2499999999).
__kernel void kern(const __global KF_T *x, const __global int *positions, __global KF_T *out, uint batch, uint seq, uint dim, float base)
{
	const uint d = get_global_id(0), i = get_global_id(1), h = dim / 2;
	const int row = (int)(get_global_id(2) * seq + i);
	float c, s = sincos((float)positions[i] * pow(base, -2.0f * (float)d / (float)dim), &c);
	const __global KF_T *from = x + (long)row * dim;
	__global KF_T *to = out + (long)row * dim;
	const float p = kf_load(from, d), q = kf_load(from, d + h);
	kf_store(to, d, p * c - q * s);
	kf_store(to, d + h, p * s + q * c);
}
