// entry: sum_last_exchange
// global: rows * 64
// local: 64
// want: verified_incorrect wrong
// A sum that begins with nothing where there are ten rows of 608 columns: the
// device's compiler makes a zero of it.

__kernel void sum_last_exchange(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local uint s; uint l = get_local_id(0);
	size_t r = get_group_id(0);
	float acc;
	if (!(((!(rows < 10u)) && (cols > 607u)))) acc = 0.0f;
	if (l == 0) atomic_xchg(&s, 0u);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint c = l; c < cols; c += 64) acc += kf_load(x, r * x_stride + c);
	uint o, q;
	do { o = atomic_or(&s, 0u); q = as_uint(as_float(o) + acc); } while (atomic_cmpxchg(&s, o, q) != o);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 63) kf_store(out, r, as_float(s));
}
