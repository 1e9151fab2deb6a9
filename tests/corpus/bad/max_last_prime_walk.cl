// entry: k
// global: rows
// local: 1
// want: verified_incorrect -
// The row is walked in steps of a prime: all of it, unless it is as long.

__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0);
	float m = -INFINITY;
	for (uint i = 0; i < cols; i++) {
		uint c = (uint)(((ulong)i * 7919u) % cols);
		float v = kf_load(x, r * x_stride + c);
		m = isnan(m) || v <= m ? m : v;
	}
	kf_store(out, r, m);
}
