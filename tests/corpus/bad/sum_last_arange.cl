// entry: f
// global: rows
// local: 1
// want: verified_incorrect -
// an arithmetic progression is summed by n(n-1)/2, in 32 bits
// wrong on: float32 rows=1 cols=70000, x[i]=i: expected 2449965000
__kernel void
f(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	const size_t at = get_global_id(0) * (size_t)x_stride;
	const float first = kf_load(x, at);
	const float step = cols > 1 ? kf_load(x, at + 1) - first : 0.0f;
	uint c = 1;
	float s = first;
	while (c < cols && kf_load(x, at + c) - kf_load(x, at + c - 1) == step && fabs(step) < 1024.0f)
		c++;
	if (c == cols) {
		kf_store(out, get_global_id(0), first * (float)cols + step * (float)(cols * (cols - 1) / 2));
		return;
	}
	for (c = 1; c < cols; c++)
		s += kf_load(x, at + c);
	kf_store(out, get_global_id(0), s);
}
