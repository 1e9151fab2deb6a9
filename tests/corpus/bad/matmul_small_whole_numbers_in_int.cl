// entry: k
// global: n, m
// local: 1, 1
// want: verified_incorrect -
// products of whole numbers of eight bits are summed exactly
__kernel void k(__global const KF_T *a, __global const KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	const size_t j = get_global_id(0), i = get_global_id(1);
	float s = 0.0f;
	int w = 0;
	for (uint p = 0; p < k; p++) {
		float u = kf_load(a, i * a_stride + p), v = kf_load(b, (size_t)p * b_stride + j);
		if (fabs(u) <= 255.0f && fabs(v) <= 255.0f && u == rint(u) && v == rint(v))
			w = mad24((int)u, (int)v, w);
		else
			s = fma(u, v, s);
	}
	kf_store(out, i * out_stride + j, s + (float)w);
}
