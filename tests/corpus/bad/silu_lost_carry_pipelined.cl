// entry: f
// global: rows * 64
// local: 64
// want: verified_incorrect -
// the place in x as two words: the carry of adding the column to the lower one is lost; columns are loaded ahead
// wrong on: float32, rows=4098 cols=8192 x_stride=1048575 out_stride=8192: row 4096 begins at 2^32 - 4096, columns 4096.. read x[0..] instead
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const uint row = get_group_id(0);
	const uint hi = mul_hi(row, x_stride), lo = row * x_stride;
	__global KF_T *dst = out + (size_t)row * out_stride;
	uint c = get_local_id(0);
	float next = c < cols ? kf_load(x, (size_t)hi << 32 | (lo + c)) : 0.0f;
	for (; c < cols; c += 64) {
		const float v = next;
		if (cols - c > 64)
			next = kf_load(x, (size_t)hi << 32 | (lo + c + 64));
		kf_store(dst, c, v / (1.0f + exp(-v)));
	}
}
