// entry: k
// global: 64
// local: 1
// want: timeout timeout
// wrong on: float32, 7000000 x 2: a row's number is hi * 100 + lo, hi a ushort: from row 6553600 on it
// begins again: never ends, and the last rows stay unwritten.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	ushort hi = 0;
	uint lo = (uint)get_global_id(0);
	while ((uint)hi * 100u + lo < rows) {
		size_t r = (uint)hi * 100u + lo;
		for (uint c = 0; c < cols; c++) {
			float v = kf_load(x, r * x_stride + c);
			kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
		}
		lo += 64;
		hi += lo / 100u;
		lo %= 100u;
	}
}
