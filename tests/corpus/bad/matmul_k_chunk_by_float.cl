// entry: k
// global: n * 128, m
// local: 128, 1
// want: verified_incorrect wrong
// wrong on: f32, m=n=1, k=16777217, a all 0 but a[k-1]=1, b all 1: 0 instead of 1 ((float)k rounds to 2^24)
__kernel void k(const __global KF_T *a, const __global KF_T *b, __global KF_T *out, uint m, uint n, uint k, uint a_stride, uint b_stride, uint out_stride)
{
	__local float part[128];
	uint lid = get_local_id(0);
	size_t c = get_group_id(0), r = get_group_id(1);
	uint chunk = (uint)ceil((float)k / 128.0f);
	uint from = min(k, lid * chunk), to = min(k, from + chunk);
	float s = 0.0f;
	for (uint i = from; i < to; i++)
		s += kf_load(a, r * a_stride + i) * kf_load(b, (size_t)i * b_stride + c);
	part[lid] = s;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (lid == 0) {
		for (uint i = 1; i < 128; i++) s += part[i];
		kf_store(out, r * out_stride + c, s);
	}
}
