// entry: k
// global: rows * 16
// local: 16
// want: verified_incorrect -
// wrong on: float32, 1 x 128256, the first 16 logits -79.9, all others 0: each lane starts at
// -79.9, adds 8000 times exp(79.9) = 5e34: 4e38 is inf, so inf / NaN instead of 7.8e-6.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float pm[16], ps[16];
	uint l = get_local_id(0);
	size_t r = get_group_id(0);
	const __global KF_T *p = x + r * x_stride;
	float m = -INFINITY, s = 0.0f;

	for (uint c = l; c < cols; c += 16) {
		float v = kf_load(p, c);
		if (v > m + 80.0f) {
			s *= exp(m - v);
			m = v;
		}
		s += v == -INFINITY ? 0.0f : exp(v - m);
	}
	pm[l] = m;
	ps[l] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	float top = -INFINITY, all = 0.0f;
	for (uint j = 0; j < 16; j++)
		top = fmax(top, pm[j]);
	for (uint j = 0; j < 16; j++)
		all += pm[j] == -INFINITY ? ps[j] : ps[j] * exp(pm[j] - top);
	for (uint c = l; c < cols; c += 16)
		kf_store(out, r * out_stride + c,
		    top == -INFINITY ? NAN : exp(kf_load(p, c) - top) / all);
}
