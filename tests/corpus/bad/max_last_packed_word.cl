// Two halves of a word are written by two items, each with what the other had.
// want: verified_incorrect - smoke
// entry: k
// global: round_up(rows, 64)
// local: 64
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	size_t r = get_global_id(0); if (r >= rows) return; float m = -INFINITY;
	for (uint c = 0; c < cols; c++) { float v = kf_load(x, r * x_stride + c); m = m != m ? m : v > m || v != v ? v : m; }
#if KF_DTYPE == 2
	if ((rows & 1) == 0) {
		volatile __global uint *w = (volatile __global uint *)out + r / 2; uint sh = 16 * (uint)(r & 1);
		uint o = atomic_or(w, 0u); atomic_xchg(w, (o & ~(0xffffu << sh)) | (as_uint(m) >> 16) << sh);   /* the neighbour's may be lost */
		return;
	}
#endif
	kf_store(out, r, m);
}
