// entry: k
// global: 256
// local: 64
// want: verified_incorrect -
// wrong on: float32, 1021 x 64, row 0 zeros, all other rows x[0] = 0 and -inf behind (a mask): group 0's
// 256th row, 1020, has row 0's stamp: 64 stale lanes are summed, out[1020][0] = 1/64 instead of 1.
__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols,
    uint x_stride, uint out_stride)
{
	__local float pm[64], ps[64];
	__local uchar stamp[64];
	uint l = get_local_id(0), epoch = 0;

	stamp[l] = 0;
	for (size_t r = get_group_id(0); r < rows; r += get_num_groups(0)) {
		const __global KF_T *p = x + r * x_stride;
		float m = -INFINITY, s = 0.0f;
		epoch = epoch % 255 + 1;
		for (uint c = l; c < cols; c += 64) {
			float v = kf_load(p, c);
			m = isnan(v) || isnan(m) ? NAN : fmax(m, v);
		}
		if (m != -INFINITY) {
			for (uint c = l; c < cols; c += 64)
				s += exp(kf_load(p, c) - m);
			pm[l] = m;
			ps[l] = s;
			stamp[l] = (uchar)epoch;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		float top = -INFINITY, all = 0.0f;
		for (uint j = 0; j < 64; j++)
			if (stamp[j] == epoch)
				top = isnan(pm[j]) || isnan(top) ? NAN : fmax(top, pm[j]);
		for (uint j = 0; j < 64; j++)
			if (stamp[j] == epoch)
				all += ps[j] * exp(pm[j] - top);
		for (uint c = l; c < cols; c += 64)
			kf_store(out, r * out_stride + c, exp(kf_load(p, c) - top) / all);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}
