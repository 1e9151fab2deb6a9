// entry: f
// global: m * n
// local: 1
// want: verified_incorrect wrong
// pairwise sums over the depth: partial sums by the trailing ones of a counter; room for 32 levels, the last loop adds 22
// wrong on: float32, m=1 n=1 k=4194304: a = 0 but a[0] = 1, b = 1: the one lies at level 22: out = 0 instead of 1
__kernel void
f(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k,
    uint a_stride, uint b_stride, uint out_stride)
{
	const size_t i = get_global_id(0);
	const size_t r = i / n, c = i % n;
	float level[32];
	for (uint l = 0; l < 32; l++)
		level[l] = 0.0f;
	for (uint p = 0; p < k; p++) {
		float v = kf_load(a, r * a_stride + p) * kf_load(b, (size_t)p * b_stride + c);
		uint l = 0;
		for (uint bits = p; bits & 1; bits >>= 1) {
			v += level[l];
			level[l++] = 0.0f;
		}
		level[l] = v;
	}
	float s = 0.0f;
	for (uint l = 0; l < 22; l++)
		s += level[l];
	kf_store(out, r * out_stride + c, s);
}
