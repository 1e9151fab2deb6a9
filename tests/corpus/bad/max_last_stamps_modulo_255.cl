// entry: k
// global: 1024
// local: 64
// want: verified_incorrect wrong
// wrong on: float32, 4097 x 64, row 0: x[0][0] = 0, the others 5; rows 1 to 4096: x[r][0] = 3,
// the others 1.  Group 0 has rows 0, 16, 32, ..; in its 256th (row 4080) the stamp is that
// of row 0 again, and lanes that have written nothing since give 5 instead of 3.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride)
{
	__local float part[64];
	__local uchar stamp[64];
	uint l = get_local_id(0);
	uchar epoch = 0;

	stamp[l] = 0;
	for (size_t r = get_group_id(0); r < rows; r += get_num_groups(0)) {
		const float first = kf_load(x, r * x_stride);
		float m = first;
		epoch = epoch % 255 + 1;
		for (uint c = l; c < cols; c += 64) {
			float v = kf_load(x, r * x_stride + c);
			if (!(v <= m))
				m = isnan(m) ? m : v;
		}
		if (!(m <= first)) {
			part[l] = m;
			stamp[l] = epoch;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l == 0) {
			float best = first;
			for (uint j = 0; j < 64; j++)
				if (stamp[j] == epoch && !(part[j] <= best))
					best = isnan(best) ? best : part[j];
			kf_store(out, r, best);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
