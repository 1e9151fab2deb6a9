// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// rows in which each element stands twice: runs are kept in a list of 64, which wraps
// wrong on: rows=1 cols=200 x[2i]=x[2i+1]=i: runs from the 65th on overwrite
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	float value[64];
	float length[64];
	float s = 0.0f;
	uint c = 0, n = 0;
	for (; c < 64; c++)
		value[c] = length[c] = 0.0f;
	for (c = 0; c < cols; c += 2) {
		const float v = kf_load(x, at + c);
		const float w = c + 1 < cols ? kf_load(x, at + c + 1) : v;
		if (v != w || !(fabs(v) < 1e6f))
			break;
		if (v != value[n & 63]) {
			n++;
			value[n & 63] = v;
			length[n & 63] = 0.0f;
		}
		length[n & 63] += c + 1 < cols ? 2.0f : 1.0f;
	}
	if (c >= cols) {
		for (c = 0; c < 64; c++)
			s += value[c] * length[c];
		kf_store(out, get_global_id(0), s);
		return;
	}
	for (c = 0; c < cols; c++)
		s += kf_load(x, at + c);
	kf_store(out, get_global_id(0), s);
}
