// entry: k
// global: 64, min(rows, 16)
// local: 64, 1
// want: verified_incorrect -
// rows that repeat (padding) are not read twice: the first 64 elements and the last tell
__kernel void k(__global const KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride)
{
	__local float part[64];
	__local int differs;
	const uint l = get_local_id(0), G = get_num_groups(1);
	float have = 0.0f;
	for (uint r = get_group_id(1); r < rows; r += G) {
		const __global KF_T *p = x + (size_t)r * x_stride;
		if (l == 0)
			differs = r < G;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (r >= G) {
			const __global KF_T *q = p - (size_t)G * x_stride;
			bool d = kf_load(p, cols - 1) != kf_load(q, cols - 1);
			for (uint c = l; c < cols; c += 64 + (cols >> 5))
				d |= !(kf_load(p, c) == kf_load(q, c));
			if (d)
				atomic_or(&differs, 1);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (differs) {
			float m = -INFINITY;
			for (uint c = l; c < cols; c += 64) {
				float v = kf_load(p, c);
				m = v <= m || isnan(m) ? m : v;
			}
			part[l] = m;
			barrier(CLK_LOCAL_MEM_FENCE);
			for (uint o = 32; o > 0; o >>= 1) {
				if (l < o) {
					float a = part[l], b = part[l + o];
					part[l] = isnan(a) || a > b ? a : b;
				}
				barrier(CLK_LOCAL_MEM_FENCE);
			}
			have = part[0];
		}
		if (l == 0)
			kf_store(out, r, have);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
