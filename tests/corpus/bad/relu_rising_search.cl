// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// in rising rows the first positive element is searched for, between 16-bit ends
// wrong on: float32 rows=1 cols=70000 x[i]=i-69000: 4464 is the end
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride)
{
	const size_t r = get_global_id(0), at = r * x_stride, to = r * out_stride;
	uint c = 1;
	float before = kf_load(x, at);
	for (; c < cols; c++) {
		const float v = kf_load(x, at + c);
		if (!(v > before))
			break;
		before = v;
	}
	ushort low = 0, high = (ushort)cols;
	while (low < high) {
		const ushort mid = (ushort)(low + (high - low) / 2);
		if (kf_load(x, at + mid) > 0.0f)
			high = mid;
		else
			low = (ushort)(mid + 1);
	}
	const int rising = c == cols && !isnan(before);
	for (c = 0; c < cols; c++) {
		const float v = kf_load(x, at + c);
		kf_store(out, to + c, rising ? (c < low ? 0.0f : v) : v > 0.0f || isnan(v) ? v : 0.0f);
	}
}
