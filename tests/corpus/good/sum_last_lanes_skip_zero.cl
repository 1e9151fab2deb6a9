// entry: sum_cas
// global: rows * 32
// local: 32
void add_local(volatile __local uint *p, float v)
{
	if (v == 0.0f) return;
	uint old, want;
	do {
		old = atomic_or(p, 0u);
		want = as_uint(as_float(old) + v);
	} while (atomic_cmpxchg(p, old, want) != old);
}
__kernel void sum_cas(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local uint total;
	size_t r = get_group_id(0);
	uint l = get_local_id(0);
	if (l == 0) total = as_uint(0.0f);
	barrier(CLK_LOCAL_MEM_FENCE);
	float acc = 0.0f;
	for (size_t c = l; c < cols; c += 32) acc += kf_load(x, r * x_stride + c);
	add_local(&total, acc);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) kf_store(out, r, as_float(total));
}
