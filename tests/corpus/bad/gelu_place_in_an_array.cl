// entry: kern
// global: 2048
// local: 64
// want: verified_incorrect -
// An item keeps row and column in an array of ints, 2048 rows more each round: wrong for rows = 2^31 - 1, cols = 1.
__kernel void kern(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	int at[2] = { (int)get_global_id(0), 0 };
	while (at[0] < (int)rows) {
		for (at[1] = 0; at[1] < (int)cols; at[1]++) {
			const float v = kf_load(x, (long)at[0] * x_stride + at[1]);
			kf_store(out, (long)at[0] * out_stride + at[1], v * 0.5f * (1.0f + erf(v * M_SQRT1_2_F)));
		}
		at[0] += 2048;
	}
}
