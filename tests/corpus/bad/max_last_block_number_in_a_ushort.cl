// entry: f
// global: rows
// local: 1
// want: verified_incorrect wrong
// which block of 256 columns holds the maximum is kept in a ushort; that block is read again at the end
// wrong on: float32, rows=1 cols=16777472: x = 0 but x[16777300] = 7: block 65536 is taken as block 0: out = 0 instead of 7
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t row = get_global_id(0);
	const __global KF_T *src = x + row * x_stride;
	float m = -INFINITY;
	ushort block = 0;
	for (uint c = 0; c < cols; c++) {
		const float v = kf_load(src, c);
		if (!(v <= m)) {
			m = v;
			block = (ushort)(c >> 8);
			if (isnan(v))
				break;
		}
	}
	const uint from = (uint)block << 8;
	float y = -INFINITY;
	for (uint c = from; c < min(from + 256u, cols); c++) {
		const float v = kf_load(src, c);
		y = isnan(v) || v > y ? v : y;
		if (isnan(y))
			break;
	}
	kf_store(out, row, y);
}
